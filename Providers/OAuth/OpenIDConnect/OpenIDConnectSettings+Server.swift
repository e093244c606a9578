import IdentityOAuth

extension OpenIDConnectSettings {
    /// The server that these settings describe, for an ``/IdentityOAuth/OAuthSessionProvider``.
    public var server: OAuthServer {
        var client = OAuthClient(
            id: clientID, authentication: authentication, transportSecurity: transportSecurity)
        client.requestFormat = requestFormat
        var server = OAuthServer(
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
}
