import Foundation
import IdentityKit

extension OAuthServer {
    /// A server that a protected resource names (RFC 9728): the resource is asked who issues tokens for it, the server is
    /// asked what it can do, and a client without an identifier registers itself.
    ///
    /// Tokens are for the resource alone (RFC 8707), with the scopes that it asks for: a request for another address is not
    /// authorized. A server that does not announce PKCE with `S256` is refused, because nobody has looked at it before.
    /// - Parameters:
    ///   - type: the provider type.
    ///   - resource: the resource identifier, exactly as the resource writes it.
    ///   - client: the client; ``OAuthClient/unregistered(_:)`` for one that registers itself.
    ///   - account: how the server says who signed in; `nil` where it does not, for one account with the resource's name.
    ///   - issuer: which of the resource's authorization servers is asked; `nil` for the first.
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
        // Without consent `offline_access` is to be ignored (OpenID Connect Core section 11).
        prompt = { $0.contains(ResourceDiscovery.offlineAccess) ? [.consent] : [] }
    }
}
