import Foundation

extension InsForgeRouter {
    /// Every address of the server. The first match answers, so the custom OAuth paths come before `:provider`.
    static let routes: [Route] = [
        Route("GET", "/.well-known/jwks.json", KeySet()),
        Route("GET", "/api/.well-known/jwks.json", KeySet()),
        Route("GET", "/api/metadata/anon-key", AnonKey()),
        Route("POST", "/api/auth/tokens/anon", DeprecatedAnonToken()),
        Route("POST", "/api/secrets/anon-key/rotate", RotateAnonKey()),
        Route("GET", "/api/auth/public-config", PublicConfig()),

        Route("POST", "/api/auth/users", SignUp()),
        Route(
            "POST", "/api/auth/sessions",
            Limited(.codes, SignIn()) { InsForgeRouter.body(of: $0.request)?["method"] == "otp" }),
        Route("POST", "/api/auth/id-token", Limited(.idTokens, NativeSignIn())),
        Route("GET", "/api/auth/sessions/current", CurrentSession()),
        Route("POST", "/api/auth/refresh", Refresh()),
        Route("POST", "/api/auth/logout", LogOut()),

        Route("GET", "/api/auth/profiles/:userID", ReadProfile()),
        Route("PATCH", "/api/auth/profiles/current", UpdateProfile()),

        Route("POST", "/api/auth/email/send-otp", Limited(.mail, SendSignInCode())),
        Route("POST", "/api/auth/email/send-verification", Limited(.mail, SendVerification())),
        Route("POST", "/api/auth/email/verify", Limited(.codes, VerifyEmail())),
        Route("GET", "/api/auth/email/verify-link", OpenVerificationLink()),
        Route("POST", "/api/auth/email/send-reset-password", Limited(.mail, SendPasswordReset())),
        Route("POST", "/api/auth/email/exchange-reset-password-token", Limited(.codes, ExchangeResetCode())),
        Route("GET", "/api/auth/email/reset-password-link", OpenResetLink()),
        Route("POST", "/api/auth/email/reset-password", Limited(.codes, ResetPassword())),

        Route("POST", "/api/auth/oauth/exchange", ExchangeOAuthCode()),
        Route("POST", "/api/auth/oauth/configs", CreateOAuthConfig()),
        Route("POST", "/api/auth/oauth/custom/configs", CreateCustomOAuthConfig()),
        Route("GET", "/api/auth/oauth/custom/:key", StartCustomOAuth()),
        Route("GET", "/api/auth/oauth/custom/:key/callback", CustomOAuthCallback()),
        Route("GET", "/api/auth/oauth/:provider", StartOAuth()),
        Route("GET", "/api/auth/oauth/:provider/callback", OAuthCallback()),
        Route("POST", "/api/auth/oauth/:provider/callback", OAuthCallback()),

        Route("POST", "/api/auth/admin/sessions", AdminSignIn()),
        Route("GET", "/api/auth/admin/sessions/current", CurrentAdminSession()),
        Route("POST", "/api/auth/admin/refresh", AdminRefresh()),
        Route("POST", "/api/auth/admin/logout", AdminLogOut()),

        Route("GET", HostedVisit.path, HostedPage()),
        Route("POST", HostedVisit.path, HostedPageForm()),
        Route("GET", FakeIdentityProvider.path, FakeProviderAuthorization()),
        Route("POST", FakeIdentityProvider.path, FakeProviderDecision()),
        Route("GET", "/api/demo/resource", InsForgeDemoResource()),
    ]
}
