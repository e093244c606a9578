import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The error object of the server (contract 0.5).
struct ErrorAnswer: Decodable, Sendable {
    let error: String
    let message: String
    let statusCode: Int?
    let nextActions: String?
}

extension InsForgeAuthError {
    /// What the caller was doing: the same answer means different things (contract 5.2).
    enum Operation: Sendable, CaseIterable {
        case signUp
        case signIn
        /// Signing in with a mailed code.
        case codeSignIn
        /// Signing in with a token of Apple or Google.
        case idToken
        case refresh
        case startOAuth
        case exchange
        case other
    }

    /// The error a refused request stands for.
    init(refusal body: Data, _ response: HTTPURLResponse, during operation: Operation) {
        // An error of the server's proxy, or of an unknown path in production, is not JSON.
        let answer = try? JSONDecoder().decode(ErrorAnswer.self, from: body)
        let refusal = Refusal(
            status: response.statusCode, code: answer?.error ?? "", text: answer?.message ?? "",
            retryAfter: response.value(forHTTPHeaderField: "Retry-After"), operation: operation)
        self = refusal.byCode ?? refusal.byStatus
    }
}

/// A refused request, on its way to an error.
private struct Refusal {
    let status: Int
    let code: String
    let text: String
    let retryAfter: String?
    let operation: InsForgeAuthError.Operation

    /// The text for a person.
    private var shown: String { text.asServerText(or: "The server gave no reason.") }

    /// The error that a code means by itself.
    var byCode: InsForgeAuthError? {
        switch code {
        case "AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED": .verificationMailFailed
        case "EMAIL_SMTP_SEND_FAILED": .mailFailed
        case "TOO_MANY_REQUESTS", "RATE_LIMITED": .rateLimited(retryAfter: wait)
        case "AUTH_EMAIL_EXISTS": .userAlreadyExists
        case "AUTH_SIGNUP_DISABLED": .signupDisabled
        case "AUTH_NEED_VERIFICATION": .emailNotVerified
        case "AUTH_WEAK_PASSWORD": .weakPassword(shown)
        case "AUTH_INVALID_EMAIL": .invalidInput(shown)
        case "AUTH_TOKEN_EXPIRED": .sessionExpired
        case "AUTH_USER_NOT_FOUND": .userNotFound
        case "AUTH_INVALID_API_KEY": .invalidKey
        case "AUTH_OAUTH_CONFIG_ERROR", "AUTH_OAUTH_CONFIG_NOT_FOUND", "AUTH_UNSUPPORTED_PROVIDER",
            "EMAIL_PROVIDER_NOT_CONFIGURED":
            .notConfigured(shown)
        case "SECRET_NOT_FOUND": .notConfigured("The project has no anonymous key. Make one in the dashboard.")
        case "NOT_FOUND": Self.noProject
        case "FORBIDDEN": operation == .signIn ? .emailNotVerified : .forbidden(shown)
        case "INVALID_INPUT": invalidInput
        case "INTERNAL_ERROR" where operation == .startOAuth && text.hasSuffix("is not configured."):
            // An unknown custom provider is an internal error (contract 2.2). Its text is one of two, so it is safe.
            .notConfigured(shown)
        default: nil
        }
    }

    /// The error that is left when no code says more.
    var byStatus: InsForgeAuthError {
        switch status {
        case 429: .rateLimited(retryAfter: wait)
        // A proxy's own refusal: the server has said nothing about the session or the password.
        case 401 where code.isEmpty: .unreadableAnswer(status: status)
        case 401: unauthorized
        case 403: .forbidden(shown)
        case 400 where operation == .exchange && !code.isEmpty: .oauth(shown)
        case 400 where !code.isEmpty: .invalidInput(shown)
        case 404 where code.isEmpty: Self.noProject
        default: .server(status: status, code: code.asServerText(or: "no error code"))
        }
    }

    private var unauthorized: InsForgeAuthError {
        switch operation {
        case .signIn, .codeSignIn: .invalidCredentials
        case .idToken: .idTokenRefused(shown)
        // The server looked for a cookie instead (contract 1.6): something between here and there took the request
        // apart, and the session is as good as before.
        case .refresh where text == "No refresh token provided":
            .server(status: status, code: "refresh token not received")
        case .refresh: .sessionExpired
        case .signUp: .invalidKey
        case _ where text == "User not found": .userNotFound
        default: .sessionExpired
        }
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

    private static let noProject = InsForgeAuthError.notConfigured(
        "There is no InsForge project at this address (status 404). Check baseURL.")

    /// How long to wait: from the header, or, where the server sends none, from its text (contract 5.3).
    private var wait: Duration? {
        let fromText = text.firstMatch(of: /wait ([0-9]{1,5}) seconds|Retry after ([0-9]{1,5})s/)
        let seconds = retryAfter.flatMap(Int.init) ?? (fromText?.1 ?? fromText?.2).flatMap { Int($0) }
        // A server can send anything; more than a day is no advice to a person.
        guard let seconds, (0...86_400).contains(seconds) else { return nil }
        return .seconds(seconds)
    }
}
