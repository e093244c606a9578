extension ThunderIDCall {
    static let router = Router<ThunderIDCall>(
        routes: [
            Route("GET", "/health/liveness", ThunderIDCall.liveness),
            Route("GET", "/health/readiness", ThunderIDCall.readiness),
            Route("GET", "/health", ThunderIDCall.liveness),

            Route("POST", "/flow/execute", ThunderIDCall.executeFlow),
            Route("GET", "/flow/meta", ThunderIDCall.flowMetadata),

            Route("GET", "/.well-known/openid-configuration", ThunderIDCall.openIDConfiguration),
            Route("GET", "/.well-known/oauth-authorization-server", ThunderIDCall.authorizationServerMetadata),
            Route("GET", "/.well-known/oauth-protected-resource", ThunderIDCall.resourceMetadata),
            Route("GET", "/oauth2/jwks", ThunderIDCall.keySet),

            Route("GET", "/oauth2/authorize", ThunderIDCall.authorize),
            Route("POST", "/oauth2/par", ThunderIDCall.pushRequest),
            Route("POST", "/oauth2/bc-authorize", ThunderIDCall.authorizeInBackchannel),
            Route("POST", "/oauth2/auth/callback", ThunderIDCall.authorizationCallback),
            Route("POST", "/oauth2/token", ThunderIDCall.token),
            Route("POST", "/oauth2/revoke", ThunderIDCall.revoke),
            Route("POST", "/oauth2/introspect", ThunderIDCall.introspect),
            Route("GET", "/oauth2/userinfo", ThunderIDCall.userInfo),
            Route("POST", "/oauth2/userinfo", ThunderIDCall.userInfo),
            Route("GET", "/oauth2/logout", ThunderIDCall.endSession),
            Route("POST", "/oauth2/logout", ThunderIDCall.endSession),
            Route("POST", "/oauth2/logout/callback", ThunderIDCall.endSessionCallback),
            Route("POST", "/oauth2/dcr/register", ThunderIDCall.registerClient),

            Route("GET", Gate.signIn, ThunderIDCall.openGate),
            Route("GET", Gate.signOut, ThunderIDCall.openGate),
            Route("GET", Gate.invite, ThunderIDCall.openGate),
            Route("GET", Gate.error, ThunderIDCall.gateErrorPage),
            Route("GET", "/gate/confirmed", ThunderIDCall.confirmedPage),
            Route("POST", Gate.step, ThunderIDCall.takeGateStep),

            Route("GET", "/users/me", ThunderIDCall.readOwnUser),
            Route("GET", "/users/me/meta", ThunderIDCall.readOwnSchema),
            Route("PUT", "/users/me", ThunderIDCall.replaceOwnAttributes),
            Route("POST", "/users/me/update-credentials", ThunderIDCall.updateOwnCredentials),

            Route("GET", "/api/resource", ThunderIDCall.demoResource),
            Route("GET", UpstreamProvider.path, ThunderIDCall.authorizeUpstream),
        ], takesHead: true
    ) { call, path, methods in
        // Accept the preflight request that a browser sends before a cross-origin request.
        if call.request.method == "OPTIONS", !methods.isEmpty, path != "/oauth2/authorize" {
            return LocalResponse(status: 204)
        }
        // Require a valid token for every path outside the public prefixes. Even with a valid token, an unknown path is
        // forbidden: for such a path the real server requires its root permission, which no user has.
        guard publicPrefixes.contains(where: path.hasPrefix) else {
            _ = try call.authenticatedToken()
            throw methods.isEmpty ? ThunderIDServerError.forbidden : .methodNotAllowed
        }
        throw methods.isEmpty ? ThunderIDServerError.pageNotFound : .methodNotAllowed
    }

    private static let publicPrefixes = [
        "/health", "/flow/", "/oauth2/", "/.well-known/", "/gate/", "/console/", "/error/", "/design/resolve/",
        "/i18n/", "/mcp/", "/auth/", "/register/passkey/", "/access/", "/api/",
        "/upstream/",
    ]
}
