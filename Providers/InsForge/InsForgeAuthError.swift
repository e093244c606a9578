import Foundation
import IdentityKit

/// Why an InsForge call failed.
///
/// The server's own wording is kept where a person may see it, shortened to one line without anything that could be a
/// token; a text of an internal error is not, because it can leak internals.
public enum InsForgeAuthError: IdentityFailure, Equatable {
    /// The e-mail address or the password is wrong. The server does not say which.
    case invalidCredentials
    /// The account does not exist any more.
    case userNotFound
    /// The password is right, but the e-mail address has not been verified.
    case emailNotVerified
    /// No answer came.
    case networkError(TransportError)
    /// There is an account with this e-mail address already.
    case userAlreadyExists
    /// The project does not accept new users.
    case signupDisabled
    /// The server refused the input; the text is the server's.
    case invalidInput(String)
    /// Too many requests; wait for this long where the server says so.
    case rateLimited(retryAfter: Duration?)
    /// The session cannot be renewed.
    case sessionExpired
    /// The anonymous key is missing or refused.
    case invalidKey
    /// The call is not allowed.
    case forbidden(String)
    /// The OAuth provider or the server ended the OAuth sign-in; the text is the server's.
    case oauth(String)
    /// The callback does not belong to the sign-in that waits for one.
    case invalidCallback(String)
    /// The project lacks a setting: an OAuth provider, or a mail provider.
    case notConfigured(String)
    /// The account exists, but the verification mail could not be sent. Resend it instead of signing up again.
    case verificationMailFailed
    /// Any other answer with an error.
    case server(status: Int, code: String)
    /// The answer is not what the server promises.
    case unreadableAnswer(status: Int)

    /// Stable code.
    public var failureCode: String {
        switch self {
        case .invalidCredentials: "invalid_credentials"
        case .userNotFound: "user_not_found"
        case .emailNotVerified: "email_not_verified"
        case .networkError(let error): error.failureCode
        case .userAlreadyExists: "user_already_exists"
        case .signupDisabled: "signup_disabled"
        case .invalidInput: "invalid_input"
        case .rateLimited: "rate_limited"
        case .sessionExpired: "session_expired"
        case .invalidKey: "invalid_key"
        case .forbidden: "forbidden"
        case .oauth: "oauth_failed"
        case .invalidCallback: "invalid_callback"
        case .notConfigured: "not_configured"
        case .verificationMailFailed: "verification_mail_failed"
        case .server: "server_error"
        case .unreadableAnswer: "unreadable_answer"
        }
    }

    /// Transient for what passes by itself.
    public var failureClass: FailureClass {
        switch self {
        case .networkError, .rateLimited, .unreadableAnswer: .transient
        case .server(let status, _): status >= 500 ? .transient : .definitive
        case .notConfigured: .unavailable
        default: .definitive
        }
    }

    /// What happened and what to do.
    public var message: String {
        switch self {
        case .invalidCredentials: "The e-mail address or the password is wrong. Try again."
        case .userNotFound: "This account does not exist any more."
        case .emailNotVerified:
            "The e-mail address is not verified yet. Enter the code from the mail, or ask for a new one."
        case .networkError(let error): error.message
        case .userAlreadyExists: "There is an account with this e-mail address already. Sign in instead."
        case .signupDisabled: "This project does not accept new users."
        case .invalidInput(let text): text
        case .rateLimited(let wait?): "Too many attempts. Try again in \(wait.formattedSeconds)."
        case .rateLimited(nil): "Too many attempts. Wait a minute and try again."
        case .sessionExpired: "The session has expired. Sign in again."
        case .invalidKey: "The project's anonymous key is missing or wrong. Check the anonKey setting."
        case .forbidden(let text): text
        case .oauth(let text): "The sign-in was not completed: \(text)"
        case .invalidCallback(let text): "The sign-in page came back in an unexpected way: \(text)"
        case .notConfigured(let text): text
        case .verificationMailFailed:
            "The account was created, but the verification mail could not be sent. Ask for a new one."
        case .server(let status, let code): "The server answered with an error (\(status) \(code)). Try again later."
        case .unreadableAnswer(let status):
            "The server's answer (status \(status)) could not be understood. Try again later."
        }
    }
}
