#if Tools
import Foundation
import IdentityKit
import OpenIDConnect

/// What a sign-in at a terminal changes in a configuration.
struct SignInSettings {
    /// Whether the person signs in on another device.
    let usesDevice: Bool
    /// The provider that signs in; `nil` for the first that can.
    let provider: String?
    /// The port that is listened to.
    let port: Int

    /// Puts the port into loopback addresses without one, which a server must accept (RFC 8252 section 7.3), and turns to
    /// the device flow when that is asked for.
    /// - Throws: ``SignInRefused`` when the provider has no device flow.
    func apply(to configuration: inout IdentityConfiguration) throws {
        for index in configuration.providers.indices {
            configuration.providers[index].settings = withPort(configuration.providers[index].settings)
        }
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

    private func withPort(_ settings: JSONValue) -> JSONValue {
        guard case .object(var members) = settings, let text = members["redirectURI"]?.stringValue,
            var components = URLComponents(string: text), components.scheme == "http", components.port == nil,
            let host = components.host, ServerURL.isLoopback(host), host != "localhost"
        else { return settings }
        components.port = port
        members["redirectURI"] = components.string.map(JSONValue.string)
        return .object(members)
    }
}
#endif
