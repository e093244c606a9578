import Foundation
import IdentityKit
import IdentityOAuth

/// Makes Acme available to configurations as the provider type `acme`.
public enum AcmePlugin: ProviderPlugin {
    /// `acme`
    public static let type = "acme"

    /// The settings of a provider.
    public struct Settings: Decodable, Sendable {
        let baseURL: URL
        let clientID: String
        let redirectURI: URL
        /// `loopbackHTTPAllowed` for a server on this machine.
        let transportSecurity: TransportSecurity?
    }

    /// A provider of Acme.
    /// - Throws: `OAuthError` for an address that is not acceptable.
    public static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
        OAuthSessionProvider(try server(settings), context: context)
    }

    /// Acme's server, and this app's client there. Sign-in, sessions, refresh and sign-out follow from it.
    private static func server(_ settings: Settings) throws -> OAuthServer {
        let (base, security) = (settings.baseURL, settings.transportSecurity ?? .httpsOnly)
        var acme = try OAuthServer(
            type: type, backend: base.absoluteString,
            client: OAuthClient(id: settings.clientID, transportSecurity: security),
            endpoints: [
                .authorization: base.appendingPathComponent("authorize"),
                .token: base.appendingPathComponent("token"), .revocation: base.appendingPathComponent("revoke"),
            ],
            // The endpoint that tells who signed in, and the member that identifies a person permanently.
            account: .request(base.appendingPathComponent("api/resource"), identifier: "subject"))
        acme.scopes = ["read"]
        acme.redirectURI = settings.redirectURI
        return acme
    }
}
