import IdentityOAuth

extension OpenIDConnectSettings {
    /// The server that these settings describe, for an ``/IdentityOAuth/OAuthSessionProvider``.
    public var server: OAuthServer {
        var client = OAuthClient(
            id: clientID, authentication: authentication, transportSecurity: transportSecurity)
        client.requestFormat = requestFormat
        var server =
            known(client)
            ?? OAuthServer(
                type: OpenIDConnectPlugin.type, issuer: issuer, client: client, tenants: tenants, replacing: endpoints)
        server.scopes = scopes
        if hasDefaultScopes { server.optionalScopes = ["offline_access"] }
        server.method = method
        server.redirectURI = redirectURI
        server.postLogoutRedirectURI = postLogoutRedirectURI
        server.prompt = prompt(for:)
        server.options = options
        server.authorizationParameters = authorizationParameters.fields
        server.tokenParameters = tokenParameters.fields
        server.pushesAuthorizationRequests = pushesAuthorizationRequests
        server.signsAuthorizationRequests = signsAuthorizationRequests
        server.bindsTokens = bindsTokens
        server.replay = replay
        server.tokenResponseFormat = tokenResponseFormat
        server.scopeSeparator = scopeSeparator
        server.usesCodeChallenge = usesCodeChallenge
        server.registration = registration
        return server
    }

    /// The server, where the endpoints that are given are enough for a sign-in: no metadata is asked for.
    private func known(_ client: OAuthClient) -> OAuthServer? {
        let begins = endpoints[.authorization] ?? endpoints[.deviceAuthorization]
        guard tenants == nil, begins != nil, endpoints[.token] != nil, endpoints[.jwks] != nil else { return nil }
        return try? OAuthServer(
            type: OpenIDConnectPlugin.type, backend: issuer, client: client, endpoints: endpoints, account: .idToken)
    }
}
