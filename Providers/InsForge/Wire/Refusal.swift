import Foundation
import IdentityKit

/// A refused request, on its way to an error (contract 5).
struct Refusal {
    let answer: ErrorAnswer?
    let status: Int
    let retryAfter: String?
    let operation: InsForgeAuthError.Operation

    private var code: String { answer?.error ?? "" }
    private var text: String { answer?.message ?? "" }

    /// The text for a person, and what the server advises.
    private var shown: String {
        let text = text.asPersonalText(or: "The server gave no reason.")
        guard let advice else { return text }
        return (text.last?.isPunctuation == true ? text + " " : text + ". ") + advice
    }

    /// What the server advises.
    private var advice: String? {
        answer?.nextActions.map { $0.asPersonalText(or: "") }.flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: By the code

    /// The error that a code means by itself.
    var byCode: InsForgeAuthError? {
        switch code {
        case "AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED": .verificationMailFailed
        case "EMAIL_SMTP_SEND_FAILED": .mailFailed
        case "TOO_MANY_REQUESTS", "RATE_LIMITED": .rateLimited(retryAfter: wait)
        case "AUTH_EMAIL_EXISTS": .userAlreadyExists
        // Servers before May 2026.
        case "ALREADY_EXISTS" where operation == .signUp: .userAlreadyExists
        case "AUTH_SIGNUP_DISABLED": .signupDisabled
        case "AUTH_NEED_VERIFICATION": .emailNotVerified
        case "AUTH_WEAK_PASSWORD": .weakPassword(shown)
        case "AUTH_INVALID_EMAIL": .invalidInput(shown)
        case "AUTH_TOKEN_EXPIRED": operation == .admin ? .adminTokenRefused : .sessionExpired
        case "AUTH_USER_NOT_FOUND": .userNotFound
        case "AUTH_INVALID_API_KEY": operation == .admin ? .adminTokenRefused : .invalidKey
        case "AUTH_OAUTH_CONFIG_ERROR", "AUTH_OAUTH_CONFIG_NOT_FOUND", "AUTH_UNSUPPORTED_PROVIDER",
            "EMAIL_PROVIDER_NOT_CONFIGURED":
            .notConfigured(shown)
        case "SECRET_NOT_FOUND": .notConfigured("The project has no anonymous key. Make one in the dashboard.")
        case "NOT_FOUND": notFound
        case "INTERNAL_ERROR" where operation == .startOAuth && text.hasSuffix("is not configured."):
            // An unknown custom provider is an internal error (contract 2.2). Its text is one of two, so it is safe.
            .notConfigured(shown)
        case "INTERNAL_ERROR": nil
        case _ where answer?.isOfDatabase == true: .databaseFault(status: status, code: shownCode)
        case "FORBIDDEN": forbidden
        case "INVALID_INPUT": invalidInput
        default: nil
        }
    }

    /// Servers before May 2026 have one code for everything they do not find; later ones only for an unknown path.
    private var notFound: InsForgeAuthError {
        text == "User not found"
            ? .userNotFound
            : .notConfigured(
                "This InsForge server does not know the request (status 404). Check baseURL; the server may be too old."
            )
    }

    /// Only a sign-in is refused for the sake of the address.
    private var forbidden: InsForgeAuthError {
        operation == .signIn && text.lowercased().contains("verif") ? .emailNotVerified : .forbidden(shown)
    }

    private var invalidInput: InsForgeAuthError {
        switch text {
        case _ where text.hasPrefix("Password must contain"): .weakPassword(shown)
        case "Invalid or expired verification code", "Invalid or expired verification token": .invalidCode(shown)
        case _ where operation == .exchange: .oauth(shown)
        case _ where operation == .idToken && text.hasPrefix("Failed to verify"): .idTokenRefused(shown)
        default: .invalidInput(shown)
        }
    }

    // MARK: By the status

    /// The error that is left when no code says more.
    var byStatus: InsForgeAuthError {
        switch status {
        case 429: .rateLimited(retryAfter: wait)
        // A proxy's own refusal: the server has said nothing about the session or the password.
        case 401 where answer == nil: .unreadableAnswer(status: status)
        case 400..<500 where answer == nil && operation.continuesSomething: .unreadableAnswer(status: status)
        case 401: unauthorized
        case 403: .forbidden(shown)
        case 400 where operation == .exchange && answer != nil: .oauth(shown)
        case 400 where answer != nil: .invalidInput(shown)
        case 404 where answer == nil:
            .notConfigured(
                "There is no InsForge project at this address, or its server is too old (status 404). Check baseURL.")
        default: server
        }
    }

    private var unauthorized: InsForgeAuthError {
        switch operation {
        case .signIn, .codeSignIn: .invalidCredentials
        case .idToken: .idTokenRefused(shown)
        // The server looked for a cookie instead (contract 1.6): something between here and there took the request apart,
        // and the session is as good as before.
        case .refresh where text == "No refresh token provided":
            .server(status: status, code: "refresh token not received")
        case .refresh: RefreshVerdict(status: status, answer) == .over ? .sessionExpired : server
        case .signUp: .invalidKey
        case .admin: .adminTokenRefused
        case .exchange: .oauth(shown)
        case .user: text == "User not found" ? .userNotFound : .sessionExpired
        // No session was involved, so none has expired.
        case .startOAuth, .other: server
        }
    }

    private var server: InsForgeAuthError { .server(status: status, code: shownCode, nextActions: advice) }

    private var shownCode: String { code.asServerText(or: "no error code") }

    /// How long to wait: from the header, or, where the server sends none, from its text (contract 5.3).
    private var wait: Duration? {
        let seconds = retryAfter.flatMap(Int.init) ?? secondsInText
        // A server can send anything; more than a day is no advice to a person.
        guard let seconds, (0...86_400).contains(seconds) else { return nil }
        return .seconds(seconds)
    }

    private var secondsInText: Int? {
        let found = text.firstMatch(of: /wait ([0-9]{1,5}) seconds|Retry after ([0-9]{1,5})s/)
        return (found?.1 ?? found?.2).flatMap { Int($0) }
    }
}
