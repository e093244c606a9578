import Foundation
import IdentityKit
import IdentityOAuthProviders
import IdentityOAuth

struct SignInSettings {
    let usesDevice: Bool
    /// The provider that signs in; `nil` for the first that can.
    let provider: String?
    let call: ToolCall

    /// Changes the sign-in to the device flow where it is requested.
    /// - Throws: ``DeviceFlowMissing`` when the provider has no device flow.
    func apply(to configuration: inout IdentityConfiguration) throws {
        guard usesDevice else { return }
        let types = [OpenIDConnectPlugin.type, OAuth2Plugin.type]
        let presets = call.registry(for: configuration).presets
        func hasFlow(_ provider: ProviderConfiguration) -> Bool {
            types.contains(presets.first { $0.type == provider.type }?.base ?? provider.type)
        }
        let name = provider ?? configuration.providers.first(where: hasFlow)?.name
        guard let index = configuration.providers.firstIndex(where: { $0.name == name }),
            hasFlow(configuration.providers[index]),
            case .object(var settings) = configuration.providers[index].settings
        else {
            throw DeviceFlowMissing(types: types)
        }
        settings["signIn"] = .string(OAuthServer.SignInMethod.device.rawValue)
        configuration.providers[index].settings = .object(settings)
    }
}

/// The provider has no sign-in on another device.
struct DeviceFlowMissing: IdentityFailure {
    let types: [String]

    let failureCode = "sign_in_refused"
    let failureClass = FailureClass.definitive
    var message: String {
        "Only a provider of the type \"\(types.joined(separator: "\" or \""))\" has a device flow."
    }
}
