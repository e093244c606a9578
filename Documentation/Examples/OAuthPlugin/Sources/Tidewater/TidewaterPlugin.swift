import Foundation
import IdentityKit
import IdentityOAuth

/// Tidewater for configurations, as the provider type `tidewater`.
public enum TidewaterPlugin: ProviderPlugin {
    /// `tidewater`
    public static let type = "tidewater"

    /// The settings of a provider.
    public struct Settings: Decodable, Sendable {
        let baseURL: URL
        let clientID: String
        let redirectURI: URL
        /// What the app wants beside reading; by default nothing.
        let scopes: [String]?
        /// `loopbackHTTPAllowed` for a server on this machine.
        let transportSecurity: TransportSecurity?
    }

    /// A provider of Tidewater.
    /// - Throws: `OAuthError` for an address that is not acceptable.
    public static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
        OAuthSessionProvider(try server(settings), context: context)
    }

    // snippet: a-vendor
    /// Tidewater, and this app's client there. Sign-in, sessions, refresh and sign-out follow from it.
    private static func server(_ settings: Settings) throws -> OAuthServer {
        let (base, security) = (settings.baseURL, settings.transportSecurity ?? .httpsOnly)
        var tidewater = try OAuthServer(
            type: type, backend: base.absoluteString,
            client: OAuthClient(id: settings.clientID, transportSecurity: security),
            endpoints: [
                .authorization: base.appendingPathComponent("authorize"),
                .token: base.appendingPathComponent("token"), .revocation: base.appendingPathComponent("revoke"),
            ],
            // OAuth does not say who signed in. Tidewater's own API does, and wants to know for which version it is asked.
            account: .request(
                base.appendingPathComponent("api/resource"), headers: ["Tidewater-Version": "2026-04-01"],
                identifier: "subject", profile: .init(displayName: "name", email: "email")))
        tidewater.scopes = ["read"] + (settings.scopes ?? [])
        tidewater.redirectURI = settings.redirectURI
        // It gives refresh tokens only where the person was asked, and takes each of them once.
        tidewater.prompt = { _ in [.consent] }
        tidewater.replay = .never
        return tidewater
    }
    // end snippet
}
