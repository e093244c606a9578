import IdentityOAuth

extension OpenIDConnectSettings {
    /// The server that these settings describe, for an ``/IdentityOAuth/OAuthSessionProvider``.
    public var server: OAuthServer {
        var server =
            (known
            ?? OAuthServer(
                type: OpenIDConnectPlugin.type, issuer: issuer, client: shared.client, tenants: tenants,
                replacing: endpoints)).with(shared)
        server.scopes = scopes
        if hasDefaultScopes { server.optionalScopes = ["offline_access"] }
        server.prompt = prompt(for:)
        return server
    }

    /// The server with only the configured endpoints, so that no metadata is requested. `nil` in three cases: there are
    /// ``tenants``, the endpoints do not suffice for a sign-in, or the client's transport security does not allow the address
    /// of the authorization endpoint, the token endpoint or the keys.
    private var known: OAuthServer? {
        let begins = endpoints[.authorization] ?? endpoints[.deviceAuthorization]
        guard tenants == nil, begins != nil, endpoints[.token] != nil, endpoints[.jwks] != nil else { return nil }
        return try? OAuthServer(
            type: OpenIDConnectPlugin.type, backend: issuer, client: shared.client, endpoints: endpoints,
            account: .idToken)
    }
}
