extension InsForgeCall {
    /// The routes of all endpoints. The first route that matches a request handles it. `custom/:key` comes before
    /// `:provider/callback`, because both match `custom/callback`, the start of a sign-in at a custom provider `callback`.
    static let router = Router<InsForgeCall>(
        routes: [
            Route("GET", "/.well-known/jwks.json", InsForgeCall.keySet),
            Route("GET", "/api/.well-known/jwks.json", InsForgeCall.keySet),
            Route("GET", "/api/metadata/anon-key", InsForgeCall.anonKey),
            Route("POST", "/api/auth/tokens/anon", InsForgeCall.deprecatedAnonToken),
            Route("POST", "/api/secrets/anon-key/rotate", InsForgeCall.rotateAnonKey),
            Route("GET", "/api/auth/public-config", InsForgeCall.publicConfig),

            Route("POST", "/api/auth/users", InsForgeCall.signUp),
            Route("POST", "/api/auth/sessions", InsForgeCall.signIn),
            Route("POST", "/api/auth/id-token", limit: .idTokens, InsForgeCall.nativeSignIn),
            Route("GET", "/api/auth/sessions/current", InsForgeCall.currentSession),
            Route("POST", "/api/auth/refresh", InsForgeCall.refresh),
            Route("POST", "/api/auth/logout", InsForgeCall.logOut),

            Route("GET", "/api/auth/profiles/:userID", InsForgeCall.readProfile),
            Route("PATCH", "/api/auth/profiles/current", InsForgeCall.updateProfile),

            Route("POST", "/api/auth/email/send-otp", limit: .mail, InsForgeCall.sendSignInCode),
            Route("POST", "/api/auth/email/send-verification", limit: .mail, InsForgeCall.sendVerification),
            Route("POST", "/api/auth/email/verify", limit: .codes, InsForgeCall.verifyEmail),
            Route("GET", "/api/auth/email/verify-link", InsForgeCall.openVerificationLink),
            Route("POST", "/api/auth/email/send-reset-password", limit: .mail, InsForgeCall.sendPasswordReset),
            Route(
                "POST", "/api/auth/email/exchange-reset-password-token", limit: .codes, InsForgeCall.exchangeResetCode),
            Route("GET", "/api/auth/email/reset-password-link", InsForgeCall.openResetLink),
            Route("POST", "/api/auth/email/reset-password", limit: .codes, InsForgeCall.resetPassword),

            Route("POST", "/api/auth/oauth/exchange", InsForgeCall.exchangeOAuthCode),
            Route("POST", "/api/auth/oauth/configs", InsForgeCall.createOAuthConfig),
            Route("POST", "/api/auth/oauth/custom/configs", InsForgeCall.createCustomOAuthConfig),
            Route("GET", "/api/auth/oauth/custom/:key", InsForgeCall.startCustomOAuth),
            Route("GET", "/api/auth/oauth/custom/:key/callback", InsForgeCall.customOAuthCallback),
            Route("GET", "/api/auth/oauth/:provider", InsForgeCall.startOAuth),
            Route("GET", "/api/auth/oauth/:provider/callback", InsForgeCall.oauthCallback),
            Route("POST", "/api/auth/oauth/:provider/callback", InsForgeCall.oauthCallback),

            Route("POST", "/api/auth/admin/sessions", InsForgeCall.adminSignIn),
            Route("GET", "/api/auth/admin/sessions/current", InsForgeCall.currentAdminSession),
            Route("POST", "/api/auth/admin/refresh", InsForgeCall.adminRefresh),
            Route("POST", "/api/auth/admin/logout", InsForgeCall.adminLogOut),

            Route("GET", HostedVisit.path, InsForgeCall.hostedPage),
            Route("POST", HostedVisit.path, InsForgeCall.hostedPageForm),
            Route("GET", FakeIdentityProvider.path, InsForgeCall.authorizeAtFakeProvider),
            Route("POST", FakeIdentityProvider.path, InsForgeCall.decideAtFakeProvider),
            Route("GET", "/api/demo/resource", InsForgeCall.demoResource),
        ], comparesAsExpress: true
    ) { _, _, _ in throw InsForgeNotFoundError() }
}
