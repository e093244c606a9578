import Foundation
import IdentityKit

/// `GET /api/auth/public-config`: what a sign-in page must know.
struct PublicConfig: InsForgeEndpoint {
    func respond(to call: InsForgeCall) -> LocalResponse {
        let rules = call.backend.rules
        let policy = rules.passwordPolicy
        return .insForge([
            "oAuthProviders": .array(call.backend.providers.builtIn.map { .string($0) }),
            "customOAuthProviders": .array(call.backend.providers.customKeys.map { .string($0) }),
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
}

/// The JWK set, at both of its addresses.
struct KeySet: InsForgeEndpoint {
    func respond(to call: InsForgeCall) -> LocalResponse {
        .insForge(call.backend.tokens.keySet)
    }
}

/// `GET /api/demo/resource`: stands for an API that wants a signed-in user. It is no part of InsForge.
struct InsForgeDemoResource: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        guard case .token(let claims) = try call.verifyUser(), claims.role == "authenticated" else {
            throw InsForgeFailure.invalidCredentials("User not authenticated")
        }
        return .insForge(["message": "Only a signed-in user reads this.", "subject": .string(claims.subject)])
    }
}
