import IdentityKit

extension InsForgeCall {
    /// `GET /api/auth/public-config`: the settings that sign-in pages need (Backends/InsForge.md#public-configuration).
    func publicConfig() throws -> LocalResponse {
        let rules = backend.rules
        let policy = rules.passwordPolicy
        return .insForge([
            "oAuthProviders": .array(backend.providers.builtIn.map { .string($0) }),
            "customOAuthProviders": .array(backend.providers.customKeys.map { .string($0) }),
            "requireEmailVerification": .bool(rules.requireEmailVerification),
            "passwordMinLength": .integer(Int64(policy.passwordMinLength)),
            "requireNumber": .bool(policy.requireNumber),
            "requireLowercase": .bool(policy.requireLowercase),
            "requireUppercase": .bool(policy.requireUppercase),
            "requireSpecialChar": .bool(policy.requireSpecialChar),
            "verifyEmailMethod": .string(rules.verifyEmailMethod.rawValue),
            "resetPasswordMethod": .string(rules.resetPasswordMethod.rawValue),
            "disableSignup": .bool(rules.disableSignup),
        ])
    }

    /// Returns the JWK set, which is published at two paths. The set is empty if the shared secret signs access tokens.
    func keySet() throws -> LocalResponse {
        .insForge(backend.rules.faults.hasLostKeyPair ? ["keys": []] : backend.tokens.keySet)
    }

    /// `GET /api/demo/resource`: a stand-in for an API that requires a signed-in user. It is not part of InsForge.
    func demoResource() throws -> LocalResponse {
        guard case .token(let claims) = try verifyUser(), claims.role == "authenticated" else {
            throw InsForgeServerError.invalidCredentials("User not authenticated")
        }
        return .insForge(["message": "Only a signed-in user reads this.", "subject": .string(claims.subject)])
    }
}
