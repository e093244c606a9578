import IdentityKit

extension LocalOpenIDConnectServer.Client {
    /// Creates a client from the metadata that was sent to the registration endpoint (RFC 7591 section 2).
    /// - Parameters:
    ///   - id: the client identifier.
    ///   - secret: the client's present secret; `nil` to make a new one. A public client gets no secret.
    ///   - metadata: the client metadata. `client_secret_basic` and `authorization_code` are the defaults.
    /// - Throws: ``OpenIDServerError`` for a grant type, a redirect URI or an authentication method that is not allowed, and
    ///   for redirect URIs that are missing or that no grant type uses.
    init(registered id: String, secret: Secret?, _ metadata: [String: JSONValue]) throws {
        let addresses = metadata["redirect_uris"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let grants = metadata["grant_types"]?.arrayValue?.compactMap(\.stringValue) ?? ["authorization_code"]
        let known = grants.compactMap(LocalOpenIDConnectServer.Client.GrantType.init)
        guard known.count == grants.count, Set(known).isSubset(of: [.authorizationCode, .refreshToken, .deviceCode])
        else { throw OpenIDServerError.oauth("invalid_client_metadata", "A grant is not for such clients") }
        guard known.contains(.authorizationCode) == !addresses.isEmpty, addresses.allSatisfy(RedirectURIRule.allows)
        else { throw OpenIDServerError.oauth("invalid_redirect_uri", "A redirect URI is missing or not acceptable") }
        let fresh = secret ?? Secret(LocalIdentifiers.base64URL(byteCount: 24))
        let authentication: LocalOpenIDConnectServer.Client.Authentication =
            switch metadata["token_endpoint_auth_method"]?.stringValue ?? "client_secret_basic" {
            case "none": .none
            case "client_secret_basic": .basic(fresh)
            case "client_secret_post": .post(fresh)
            default: throw OpenIDServerError.oauth("invalid_client_metadata", "This authentication needs a key")
            }
        self.init(id: id, name: metadata["client_name"]?.stringValue ?? id, authentication: authentication) {
            $0.redirectURIs = addresses
            $0.grantTypes = Set(known)
            $0.requiresDPoP = metadata["dpop_bound_access_tokens"]?.boolValue ?? false
            // Compare redirect URIs as exact text, like many servers do.
            $0.takesAnyLoopbackPort = false
        }
    }
}
