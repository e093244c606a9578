import Foundation
import IdentityKit
import IdentityOAuth

/// Makes Acme available to configurations as the provider type `acme`.
public enum AcmePlugin: ProviderPlugin {
    /// The value `acme` of `type` in a configuration, which selects this plug-in.
    public static let type = "acme"

    /// The settings of an Acme provider in the configuration.
    public struct Settings: Decodable, Sendable {
        let baseURL: URL
        let clientID: String
        let redirectURI: URL
        /// The addresses that are allowed without TLS: by default none, and with `loopbackHTTPAllowed` those of this
        /// machine.
        let transportSecurity: TransportSecurity?
    }

    /// Makes a provider that signs users in at the Acme server in `settings`.
    /// - Throws: `OAuthError` for an unacceptable address, such as one without TLS.
    public static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
        OAuthSessionProvider(try server(settings), context: context)
    }

    /// Describes Acme's server, and this app's client there. IdentityOAuth implements sign-in, refresh and sign-out from
    /// this description.
    private static func server(_ settings: Settings) throws -> OAuthServer {
        let (base, security) = (settings.baseURL, settings.transportSecurity ?? .httpsOnly)
        var acme = try OAuthServer(
            type: type, backend: base.absoluteString,
            client: OAuthClient(id: settings.clientID, transportSecurity: security),
            endpoints: [
                .authorization: base.appendingPathComponent("authorize"),
                .token: base.appendingPathComponent("token"), .revocation: base.appendingPathComponent("revoke"),
            ],
            // After a sign-in, this endpoint returns the user as JSON. The member `subject` is an identifier that never
            // changes.
            account: .request(base.appendingPathComponent("api/resource"), identifier: "subject"))
        acme.scopes = ["read"]
        acme.redirectURI = settings.redirectURI
        return acme
    }
}
