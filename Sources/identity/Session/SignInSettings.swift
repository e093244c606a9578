import Foundation
import IdentityKit
import OpenIDConnect

/// What a sign-in at a terminal changes in a configuration.
struct SignInSettings {
    /// Whether the person signs in on another device.
    let usesDevice: Bool
    /// The provider that signs in; `nil` for the first that can.
    let provider: String?

    /// Turns to the device flow when that is asked for.
    /// - Throws: ``SignInRefused`` when the provider has no device flow.
    func apply(to configuration: inout IdentityConfiguration) throws {
        guard usesDevice else { return }
        let name = provider ?? configuration.providers.first { $0.type == OpenIDConnectPlugin.type }?.name
        guard let index = configuration.providers.firstIndex(where: { $0.name == name }),
            configuration.providers[index].type == OpenIDConnectPlugin.type,
            case .object(var settings) = configuration.providers[index].settings
        else {
            throw SignInRefused(
                message: "Only a provider of the type \"\(OpenIDConnectPlugin.type)\" has a device flow.")
        }
        settings["signIn"] = .string(OpenIDConnectSettings.SignInMethod.device.rawValue)
        configuration.providers[index].settings = .object(settings)
    }
}
