import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The error object of the server (InsForge, error object).
struct ErrorAnswer: Decodable, Sendable {
    let error: String
    let message: String
    let statusCode: Int?
    let nextActions: String?
}

extension InsForgeAuthError {
    /// What the caller was doing: the same answer means different things (InsForge, mapping for a typed client error).
    enum Operation: Sendable {
        case signUp
        case signIn
        case refresh
        case exchange
        case other
    }

    /// The error a refused request stands for.
    init(refusal body: Data, _ response: HTTPURLResponse, during operation: Operation) {
        let status = response.statusCode
        // An error of the server's proxy, or of an unknown path in production, is not JSON.
        let answer = try? JSONDecoder().decode(ErrorAnswer.self, from: body)
        let text = (answer?.message ?? "").asServerText(or: "The server gave no reason.")
        switch (status, answer?.error) {
        case (429, "AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED"), (500, "AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED"):
            self = .verificationMailFailed
        case (429, _):
            self = .rateLimited(retryAfter: Self.retryAfter(response))
        case (401, nil):
            // A proxy's own refusal: the server has said nothing about the session or the password.
            self = .unreadableAnswer(status: status)
        case (401, _) where operation == .signIn:
            self = .invalidCredentials
        case (401, _) where operation == .refresh && text == Self.missedRefreshToken:
            self = .server(status: status, code: "refresh token not received")
        case (401, _) where operation == .refresh:
            self = .sessionExpired
        case (401, _) where operation == .signUp:
            self = .invalidKey
        case (401, _) where text == "User not found", (404, "AUTH_USER_NOT_FOUND"):
            self = .userNotFound
        case (401, _):
            self = .sessionExpired
        case (403, "FORBIDDEN") where operation == .signIn, (403, "AUTH_NEED_VERIFICATION"):
            self = .emailNotVerified
        case (403, "AUTH_SIGNUP_DISABLED"):
            self = .signupDisabled
        case (403, _):
            self = .forbidden(text)
        case (409, "AUTH_EMAIL_EXISTS"):
            self = .userAlreadyExists
        case (400, .some) where operation == .exchange:
            self = .oauth(text)
        case (400, "INVALID_INPUT"), (400, "AUTH_UNAUTHORIZED"):
            self = .invalidInput(text)
        case (_, "AUTH_OAUTH_CONFIG_ERROR"), (_, "AUTH_UNSUPPORTED_PROVIDER"), (_, "EMAIL_PROVIDER_NOT_CONFIGURED"):
            self = .notConfigured(text)
        case (404, nil), (404, "NOT_FOUND"):
            self = .notConfigured("There is no InsForge project at this address (status 404). Check baseURL.")
        default:
            self = .server(status: status, code: (answer?.error ?? "").asServerText(or: "no error code"))
        }
    }

    /// What a server says that looked for a cookie instead (InsForge, refresh): something between here and there took the
    /// request apart, and the session is as good as before.
    private static let missedRefreshToken = "No refresh token provided"

    private static func retryAfter(_ response: HTTPURLResponse) -> Duration? {
        // A server can send anything; more than a day is no advice to a person.
        guard let seconds = response.value(forHTTPHeaderField: "Retry-After").flatMap(Int.init),
            (0...86_400).contains(seconds)
        else { return nil }
        return .seconds(seconds)
    }
}
