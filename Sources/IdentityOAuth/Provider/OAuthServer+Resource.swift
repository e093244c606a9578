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
        self.init(type: type, backend: name, client: client, account: account ?? .named(name)) { transport in
            let (described, scopes) = try await ProtectedResourceMetadata.discover(
                resource, using: transport, transportSecurity: client.transportSecurity)
            if let issuer, !described.authorizationServers.contains(where: { $0.isSameIssuer(as: issuer) }) {
                throw OAuthError.invalidResource(.otherAuthorizationServer(issuer))
            }
            var found = DiscoveredServer(
                try await Discovery.discover(
                    issuer: issuer ?? described.authorizationServers[0], preferring: .authorizationServerAlone,
                    namedByResource: issuer == nil, using: transport, transportSecurity: client.transportSecurity))
            found.scopes = Self.scopes(scopes ?? described.scopesSupported ?? [], at: found.metadata)
            found.bindsTokens = described.requiresBoundTokens
            found.isOfResource = true
            return found
        }
        self.resource = resource
        options.resources = [name]
        if client.id.isEmpty { registration = ClientRegistration() }
        // Without consent `offline_access` is to be ignored (OpenID Connect Core section 11).
        prompt = { $0.contains(Self.offlineAccess) ? [.consent] : [] }
    }

    /// The scopes that a resource asks for, and where the server has it the one that sessions need to outlive their access
    /// token. Nothing is added to no scopes: those are the server's own choice.
    private static func scopes(_ asked: [String], at metadata: AuthorizationServerMetadata) -> [String] {
        let isOffered = metadata.scopesSupported?.contains(offlineAccess) == true
        return asked.isEmpty || !isOffered || asked.contains(offlineAccess) ? asked : asked + [offlineAccess]
    }

    private static let offlineAccess = "offline_access"
}
