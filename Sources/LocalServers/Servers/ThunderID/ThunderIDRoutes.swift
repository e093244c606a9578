import Foundation

extension ThunderIDRouter {
    /// Every address of the server.
    static let routes: [Route] = [
        Route("GET", "/health/liveness", Liveness()),
        Route("GET", "/health/readiness", Readiness()),
        Route("GET", "/health", Liveness()),

        Route("POST", "/flow/execute", ExecuteFlow()),
        Route("GET", "/flow/meta", FlowMetadata()),

        Route("GET", "/.well-known/openid-configuration", OpenIDConfiguration()),
        Route("GET", "/.well-known/oauth-authorization-server", AuthorizationServerMetadata()),
        Route("GET", "/oauth2/jwks", KeySetDocument()),

        Route("GET", "/oauth2/authorize", Authorize()),
        Route("POST", "/oauth2/par", PushAuthorizationRequest()),
        Route("POST", "/oauth2/auth/callback", AuthorizationCallback()),
        Route("POST", "/oauth2/token", TokenEndpoint()),
        Route("POST", "/oauth2/revoke", RevokeToken()),
        Route("POST", "/oauth2/introspect", IntrospectToken()),
        Route("GET", "/oauth2/userinfo", UserInfo()),
        Route("POST", "/oauth2/userinfo", UserInfo()),
        Route("GET", "/oauth2/logout", EndSession()),
        Route("POST", "/oauth2/logout", EndSession()),
        Route("POST", "/oauth2/logout/callback", EndSessionCallback()),
        Route("POST", "/oauth2/dcr/register", RegisterClient()),

        Route("GET", Gate.signIn, OpenGate()),
        Route("GET", Gate.signOut, OpenGate()),
        Route("GET", Gate.invite, OpenGate()),
        Route("GET", Gate.error, GateErrorPage()),
        Route("POST", Gate.step, TakeGateStep()),

        Route("GET", "/users/me", ReadOwnUser()),
        Route("GET", "/users/me/meta", ReadOwnSchema()),
        Route("PUT", "/users/me", ReplaceOwnAttributes()),
        Route("POST", "/users/me/update-credentials", UpdateOwnCredentials()),

        Route("GET", "/api/resource", ThunderIDDemoResource()),
        Route("GET", UpstreamProvider.path, UpstreamAuthorize()),
    ]
}
