import Foundation
import IdentityKit
import InsForge
import ThunderID

@testable import IdentityOAuth

extension ProvokedMessage {
    static func providers() -> [any IdentityFailure] {
        let server = "The code is wrong."
        let errors: [InsForgeAuthError] = [
            .invalidCredentials, .userNotFound, .emailNotVerified,
            .networkError(.connectionRefused(host: "app.example.com")), .userAlreadyExists, .signupDisabled,
            .weakPassword("The password needs 8 characters."), .invalidCode(server), .idTokenRefused(server),
            .invalidInput(server), .rateLimited(retryAfter: .milliseconds(29_500)), .rateLimited(retryAfter: nil),
            .notSignedIn, .sessionExpired, .sessionChanged, .invalidKey, .adminTokenRefused,
            .forbidden("Only an administrator may do that."), .oauth("Access was denied."), .cancelled,
            .invalidCallback("It has no code."), .mailedLink(.emailVerified),
            .mailedLink(.emailNotVerified("The link has expired.")), .mailedLink(.passwordReset(token: "secret")),
            .mailedLink(.passwordResetFailed("The link has expired.")),
            .notConfigured("The project has no provider \"google\"."), .verificationMailFailed, .mailFailed,
            .untrustedToken("Its signature is wrong."), .databaseFault(status: 500, code: "PGRST002"),
            .server(status: 500, code: "INTERNAL_ERROR"),
            .server(status: 409, code: "CONFLICT", nextActions: "Choose another name."),
            .unreadableResponse(status: 502), .storeFailed(.full(path: "/srv/example/store")),
            .failed(code: "refresh_in_progress", message: "It takes too long. Try again.", failureClass: .transient),
        ]
        return errors + PasskeyError.allCases + [
            PasswordChangedError(), IAMError(.serverError, "The server failed. Try again later."),
            PlatformTokenError.missing("the variable ID_TOKEN"), PlatformTokenError.malformed("the variable ID_TOKEN"),
            PlatformTokenError.refused("GitHub Actions", status: 403), MissingAssertionProviderError(name: "wrok"),
        ]
    }

    static func oauth() -> [ProvokedMessage] {
        let refusal = ErrorResponse(error: .invalidClient, errorDescription: "Unknown client.", status: 401)
        let errors: [(String, OAuthError)] = [
            ("refused", .refused(refusal)), ("invalidSetting", .invalidSetting(.unsignedRequest)),
            ("invalidResponse", .invalidResponse(.malformedJSON, host: "id.example.com")),
            ("invalidMetadata", .invalidMetadata(.missingCodeChallengeMethod)),
            ("invalidCallback", .invalidCallback(.stateMissing)), ("invalidToken", .invalidToken(.malformed)),
            ("invalidIDToken", .invalidIDToken(.missing)), ("invalidUserInfo", .invalidUserInfo(.subjectMismatch)),
            ("invalidResource", .invalidResource(.insecureMetadata)),
            ("invalidRegistration", .invalidRegistration(.notSupported)),
        ]
        return errors.map { ProvokedMessage(name: "OAuthError.\($0.0)", $0.1.message) } + refusals()
    }

    /// The advice for the codes of OAuth, and for a server that fails or asks to wait.
    private static func refusals() -> [ProvokedMessage] {
        let codes: [OAuthErrorCode] = [
            .accessDenied, .invalidGrant, .invalidClient, .invalidScope, .invalidToken, .insufficientScope,
            .expiredToken,
            .loginRequired, .temporarilyUnavailable, .invalidRequest,
        ]
        let responses =
            codes.map { ErrorResponse(error: $0, status: 400) } + [
                ErrorResponse(error: .invalidClient, errorDescription: "Unknown client.", status: 401),
                ErrorResponse(error: .serverError, status: 503),
                ErrorResponse(error: .temporarilyUnavailable, status: 429, retryAfter: .milliseconds(29_500)),
            ]
        return responses.map { ProvokedMessage(name: "ErrorResponse", OAuthError.refused($0).message) }
    }
}
