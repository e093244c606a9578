import Foundation
import IdentityKit

extension InsForgeAuthError {
    /// The purpose of a request, on which the meaning of an error response depends.
    enum Operation: Sendable, CaseIterable {
        case signUp
        case signIn
        case codeSignIn
        /// A sign-in with an ID token of Apple or Google.
        case idToken
        case refresh
        case startOAuth
        case exchange
        /// A call with the access token of the signed-in user.
        case user
        /// A call with an administrator's token or the project's API key.
        case admin
        /// Any other call, such as a request for a mail. It needs no credential.
        case other

        /// Whether an earlier call has reached the project. A response without an error document then does not mean that
        /// the base URL is wrong.
        var continuesSomething: Bool { [.refresh, .user, .exchange].contains(self) }
    }

    init(_ body: Data, _ response: HTTPURLResponse, during operation: Operation) {
        let mapping = ErrorMapping(
            response: InsForgeErrorResponse(body), status: response.statusCode,
            retryAfter: response.pause(atMost: .max), operation: operation)
        self = mapping.byCode ?? mapping.byStatus
    }
}

/// Maps an error response to an error, by its code and then by its status.
private struct ErrorMapping {
    /// The error document; `nil` if the body is something else, such as a proxy's page.
    let response: InsForgeErrorResponse?
    let status: Int
    let retryAfter: Duration?
    let operation: InsForgeAuthError.Operation

    private var code: String { response?.error ?? "" }
    private var text: String { response?.message ?? "" }

    /// The server's message for the person, followed by the server's advice if there is any.
    private var shown: String {
        let text = text.asPersonalText(or: "The server gave no reason.")
        guard let advice else { return text }
        return (text.last?.isPunctuation == true ? text + " " : text + ". ") + advice
    }

    private var advice: String? {
        response?.nextActions.map { $0.asPersonalText(or: "") }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The error that the code identifies; `nil` if the status decides.
    var byCode: InsForgeAuthError? {
        switch code {
        case "AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED": .verificationMailFailed
        case "EMAIL_SMTP_SEND_FAILED": .mailFailed
        case "TOO_MANY_REQUESTS", "RATE_LIMITED": .rateLimited(retryAfter: wait)
        case "AUTH_EMAIL_EXISTS": .userAlreadyExists
        // The code of servers before May 2026.
        case "ALREADY_EXISTS" where operation == .signUp: .userAlreadyExists
        case "AUTH_SIGNUP_DISABLED": .signupDisabled
        case "AUTH_NEED_VERIFICATION": .emailNotVerified
        case "AUTH_WEAK_PASSWORD": .weakPassword(shown)
        case "AUTH_INVALID_EMAIL": .invalidInput(shown)
        // Accept these codes only with a 4xx status, because a failing server may be wrong about a session or a user.
        case "AUTH_TOKEN_EXPIRED" where 400..<500 ~= status: operation == .admin ? .adminTokenRefused : .sessionExpired
        case "AUTH_USER_NOT_FOUND" where 400..<500 ~= status: .userNotFound
        case "AUTH_INVALID_API_KEY": operation == .admin ? .adminTokenRefused : .invalidKey
        case "AUTH_OAUTH_CONFIG_ERROR", "AUTH_OAUTH_CONFIG_NOT_FOUND", "AUTH_UNSUPPORTED_PROVIDER",
            "EMAIL_PROVIDER_NOT_CONFIGURED":
            .notConfigured(shown)
        case "SECRET_NOT_FOUND": .notConfigured("The project has no anonymous key. Make one in the dashboard.")
        case "NOT_FOUND" where 400..<500 ~= status: notFound
        case "INTERNAL_ERROR" where operation == .startOAuth && text.hasSuffix("is not configured."):
            // The server reports an unknown custom provider as an internal error. A text with this ending can be shown.
            .notConfigured(shown)
        case "INTERNAL_ERROR": nil
        case _ where response?.isOfDatabase == true: .databaseFault(status: status, code: shownCode)
        case "FORBIDDEN": forbidden
        case "INVALID_INPUT": invalidInput
        default: nil
        }
    }

    /// The error for `NOT_FOUND`. Servers before May 2026 send this code for anything that is not found. Later servers
    /// send it only for an unknown path.
    private var notFound: InsForgeAuthError {
        text == "User not found"
            ? .userNotFound
            : .notConfigured(
                "This InsForge server does not know the request (status 404). Check baseURL; the server may be too old."
            )
    }

    /// The error for `FORBIDDEN`. In the response to a sign-in with a password, it can mean that the e-mail address is not
    /// verified, which only the message shows.
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

    var byStatus: InsForgeAuthError {
        switch status {
        case 429: .rateLimited(retryAfter: wait)
        // A proxy responded. Its status says nothing about the session or the password.
        case 401 where response == nil: .unreadableResponse(status: status)
        case 400..<500 where response == nil && operation.continuesSomething: .unreadableResponse(status: status)
        case 401: unauthorized
        case 403: .forbidden(shown)
        // The PKCE verifier does not match the authorization code. Either a flow that was started later has replaced
        // the verifier, or the code comes from a stranger's flow.
        case 400 where operation == .exchange && code == "AUTH_UNAUTHORIZED": .invalidCallback(.flowReplaced)
        case 400 where operation == .exchange && response != nil: .oauth(shown)
        case 400 where response != nil: .invalidInput(shown)
        case 404 where response == nil:
            .notConfigured(
                "There is no InsForge project at this address, or its server is too old (status 404). Check baseURL.")
        default: server
        }
    }

    private var unauthorized: InsForgeAuthError {
        switch operation {
        case .signIn, .codeSignIn: .invalidCredentials
        case .idToken: .idTokenRefused(shown)
        // The server looked for a cookie, because a proxy changed the request. The session is still valid.
        case .refresh where text == "No refresh token provided":
            .server(status: status, code: "refresh token not received")
        case .refresh where RefreshVerdict(status: status, response) == .over:
            text == "User not found" ? .userNotFound : .sessionExpired
        case .refresh: server
        case .signUp: .invalidKey
        case .admin: .adminTokenRefused
        case .exchange: .oauth(shown)
        case .user: text == "User not found" ? .userNotFound : .sessionExpired
        // Requests with these purposes do not use the session.
        case .startOAuth, .other: server
        }
    }

    private var server: InsForgeAuthError { .server(status: status, code: shownCode, nextActions: advice) }

    private var shownCode: String { code.asServerText(or: "no error code") }

    /// The time to wait, from `Retry-After` or else from the server's message; `nil` if both are missing, or if the time
    /// exceeds a day.
    private var wait: Duration? {
        (retryAfter ?? secondsInText.map { .seconds($0) }).flatMap { $0 <= .seconds(86_400) ? $0 : nil }
    }

    private var secondsInText: Int? {
        let found = text.firstMatch(of: /wait ([0-9]{1,5}) seconds|Retry after ([0-9]{1,5})s/)
        return (found?.1 ?? found?.2).flatMap { Int($0) }
    }
}
