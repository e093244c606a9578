import Foundation
import IdentityKit

extension OAuthServer {
    /// Creates a server that is found through a protected resource (RFC 9728). The resource names its authorization server,
    /// the server's metadata describes the endpoints, and a client without an identifier registers itself.
    ///
    /// Tokens are only for the resource (RFC 8707), and requests to other addresses get none. Unless scopes are configured,
    /// a sign-in asks for those that the resource demands. The server must announce PKCE with `S256`, because no developer
    /// has examined it.
    /// - Parameters:
    ///   - type: the provider type.
    ///   - resource: the resource identifier, exactly as the resource writes it.
    ///   - client: the client; ``OAuthClient/unregistered(_:)`` for one that registers itself.
    ///   - account: the source of the account's identity; `nil` for a single account whose name is the resource's address.
    ///   - issuer: the issuer identifier of the authorization server, which the resource must name; `nil` for the first that
    ///     it names.
    public init(
        type: String, resource: URL, client: OAuthClient, account: AccountSource? = nil, issuer: String? = nil
    ) {
        let name = resource.absoluteString
        self.init(type: type, backend: name, client: client, account: account ?? .named(name)) { environment, refusal in
            try await ResourceDiscovery(
                resource: resource, issuer: issuer, transportSecurity: client.transportSecurity,
                environment: environment
            ).server(after: refusal)
        }
        self.resource = resource
        givenIssuer = issuer.flatMap(URL.init(string:))
        options.resources = [name]
        if client.id.isEmpty { registration = ClientRegistration() }
        // A server ignores `offline_access` unless the person is asked for consent (OpenID Connect Core section 11).
        prompt = { $0.contains(ResourceDiscovery.offlineAccess) ? [.consent] : [] }
    }
}
