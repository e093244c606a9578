import Foundation
import IdentityKit
import IdentityOAuth

/// An error of a call to an InsForge server, or of the client itself.
///
/// A server's text in an error is a single line. It includes the server's advice (`nextActions`), and omits anything that
/// could be a token. The texts of database errors and internal errors are omitted, except that of an internal error about
/// an OAuth provider that is not configured.
///
/// ``networkError(_:)``, ``storeFailed(_:)`` and ``failed(code:message:failureClass:)`` have the failure class of the original
/// error. The class of any other error is transient if the same call may succeed later, unavailable for
/// ``notConfigured(_:)``, and otherwise definitive. The user has to sign in again after ``notSignedIn`` and
/// ``sessionExpired``.
public enum InsForgeAuthError: StatedFailure, Equatable {
    /// The e-mail address, the password or the mailed code is wrong. The server does not report which.
    case invalidCredentials
    /// The account does not exist, or has been deleted. A sign-in with an unknown address throws ``invalidCredentials``
    /// instead.
    case userNotFound
    /// The password is right, but the e-mail address has not been verified.
    case emailNotVerified
    /// The request got no usable response, for example because the server could not be reached or is not trusted.
    case networkError(TransportError)
    /// An account with this e-mail address exists.
    case userAlreadyExists
    /// The project does not accept new users.
    case signupDisabled
    /// The new password is too weak. The text is the server's and lists the missing requirements.
    case weakPassword(String)
    /// The code or the link from the mail is wrong, used or too old. The text is the server's.
    case invalidCode(String)
    /// The server refused the token of Apple or Google, or the nonce in the token is wrong. The text is the reason.
    case idTokenRefused(String)
    /// The server or this library refused the input. The text is the reason.
    case invalidInput(String)
    /// There were too many requests. Wait for `retryAfter`, or for about a minute if it is `nil`. Only read requests are
    /// repeated automatically, and only as ``RetryConfiguration`` allows.
    case rateLimited(retryAfter: Duration?)
    /// No user is signed in.
    case notSignedIn
    /// The session has ended, or its access token has expired and cannot be refreshed.
    case sessionExpired
    /// The session that the call was meant for has been replaced by a newer session. The call changed nothing.
    case sessionChanged
    /// The anonymous key is missing, malformed, or refused by the server.
    case invalidKey
    /// The administrator's token, or the project's API key, is missing, refused or too old. The session of the signed-in user
    /// is not affected.
    case adminTokenRefused
    /// The server does not allow the call (status 403). The text is the server's.
    case forbidden(String)
    /// The OAuth provider or the server refused the OAuth sign-in, or the sign-in page has no TLS. The text is the reason.
    case oauth(String)
    /// The person closed the sign-in page, or signed out before the sign-in was complete, or another callback has
    /// completed it.
    case cancelled
    /// The callback is malformed, belongs to no pending flow, or contains an access token that is not allowed. The text is
    /// the reason.
    case invalidCallback(String)
    /// The callback comes from a mailed link, which opens no session.
    case mailedLink(MailedLink)
    /// A setting of the project or of the client is missing or invalid, such as the mail provider, the browser or an
    /// address. The text is the reason.
    case notConfigured(String)
    /// The account exists, but the verification mail could not be sent. Resend it instead of signing up again.
    case verificationMailFailed
    /// The server's mail server (SMTP) failed, so the mail was not sent.
    case mailFailed
    /// The access token is not signed with the server's keys, has an algorithm that is not accepted, names no user or
    /// another user, or is a refresh token. The text is the reason.
    case untrustedToken(String)
    /// The server's database failed or refused the request. If a new user signs in twice at the same time, one sign-in
    /// can fail with this error. Repeating it succeeds.
    case databaseFault(status: Int, code: String)
    /// Any other error response, with the server's advice if there is one.
    case server(status: Int, code: String, nextActions: String? = nil)
    /// The response does not have the documented form, for example because a proxy sent it.
    case unreadableResponse(status: Int)
    /// The token store could not read or write the session. A session that was stored before stays.
    case storeFailed(TokenStoreError)
    /// Any other failure, such as a refresh in another process that takes too long. The code, the message and the class
    /// are those of the original error.
    case failed(code: String, message: String, failureClass: FailureClass)

    /// The result that the callback of a mailed link reports to the app.
    public enum MailedLink: Sendable, Equatable {
        /// The address is verified. The link opens no session, so the user still has to sign in.
        case emailVerified
        /// The address is not verified; the text is the server's.
        case emailNotVerified(String)
        /// The person can set a new password: pass it with this token to
        /// ``InsForgeAuthClient/resetPassword(otp:newPassword:)``.
        case passwordReset(token: Secret)
        /// The link cannot set a password; the text is the server's.
        case passwordResetFailed(String)
    }

    package var facts: FailureFacts {
        switch self {
        case .invalidCredentials:
            .definitive("invalid_credentials", "The e-mail address or the password is wrong. Try again.")
        case .userNotFound: .definitive("user_not_found", "This account no longer exists.")
        case .emailNotVerified:
            .definitive(
                "email_not_verified",
                "The e-mail address is not verified yet. Enter the code from the mail, or ask for a new one.")
        case .networkError(let error): error.facts
        case .userAlreadyExists:
            .definitive("user_already_exists", "An account with this e-mail address exists. Sign in instead.")
        case .signupDisabled: .definitive("signup_disabled", "This project does not accept new users.")
        case .weakPassword(let text): .definitive("weak_password", text)
        case .invalidCode(let text): .definitive("invalid_code", text)
        case .idTokenRefused(let text): .definitive("id_token_refused", text)
        case .invalidInput(let text): .definitive("invalid_input", text)
        case .forbidden(let text): .definitive("forbidden", text)
        case .notConfigured(let text): .unavailable("not_configured", text)
        case .rateLimited(let wait?):
            .transient("rate_limited", "Too many attempts. Try again in \(wait.inWholeSeconds).")
        case .rateLimited(nil): .transient("rate_limited", "Too many attempts. Wait a minute and try again.")
        case .notSignedIn: .definitive("not_signed_in", "No user is signed in. Sign in first.", asksForSignIn: true)
        case .sessionExpired:
            .definitive("session_expired", "The session has expired. Sign in again.", asksForSignIn: true)
        case .sessionChanged:
            .definitive(
                "session_changed",
                "Another session began since the user was shown, and nothing was changed. Look who is signed in, and try again."
            )
        case .invalidKey:
            .definitive("invalid_key", "The project's anonymous key is missing or wrong. Check the anonKey setting.")
        case .adminTokenRefused:
            .definitive(
                "admin_token_refused",
                "The administrator's token was refused. Sign in to the dashboard again, or use the project's API key.")
        case .oauth(let text): .definitive("oauth_failed", "The sign-in was not completed: \(text)")
        case .cancelled: .definitive("cancelled", "The sign-in was cancelled.")
        case .invalidCallback(let text):
            .definitive("invalid_callback", "The callback of the sign-in page cannot be used: \(text)")
        case .mailedLink(let link): .definitive("mailed_link", link.message)
        case .verificationMailFailed:
            .definitive(
                "verification_mail_failed",
                "The account was created, but the verification mail could not be sent. Ask for a new one.")
        case .mailFailed: .transient("mail_failed", "The mail could not be sent. Try again later.")
        // Transient, because the server may publish the missing key within a minute.
        case .untrustedToken(let text):
            .transient("untrusted_token", "The server's access token was not accepted: \(text)")
        case .databaseFault(let status, let code):
            .transient(
                "database_fault",
                "The server's database failed (\(status) \(code)). Try again, and if it persists, tell the project's administrator."
            )
        case .server(let status, let code, let advice):
            FailureFacts(
                "server_error", status >= 500 ? .transient : .definitive,
                "The server returned an error (\(status) \(code)). \(advice ?? "Try again later.")")
        case .unreadableResponse(let status):
            .transient("unreadable_answer", "The server's response (status \(status)) cannot be read. Try again later.")
        case .storeFailed(let error): error.facts
        case .failed(let code, let message, let failureClass): FailureFacts(code, failureClass, message)
        }
    }
}

extension InsForgeAuthError {
    static func invalidCallback(_ reason: InvalidCallbackReason) -> InsForgeAuthError {
        .invalidCallback(OAuthError.invalidCallback(reason).message)
    }

    /// Converts an error to this type. A cancellation stays a `CancellationError`.
    static func documented(_ error: any Error) -> any Error {
        switch error {
        case is InsForgeAuthError, is CancellationError: error
        case let error as TokenStoreError: InsForgeAuthError.storeFailed(error)
        case let error as TransportError: InsForgeAuthError.networkError(error)
        case let error:
            InsForgeAuthError.failed(
                code: (error as? any IdentityFailure)?.failureCode ?? "unknown", message: error.identityMessage,
                failureClass: error.identityFailureClass)
        }
    }

    /// Creates ``userNotFound`` if the session ended because the account was deleted, or else ``sessionExpired``.
    init(ending reason: String) {
        self = reason.hasBytes(of: Self.userNotFound.message) ? .userNotFound : .sessionExpired
    }
}

extension InsForgeAuthError.MailedLink {
    var message: String {
        switch self {
        case .emailVerified: "The e-mail address is verified. Sign in now."
        case .emailNotVerified(let text): "The e-mail address could not be verified: \(text)"
        case .passwordReset: "Choose a new password."
        case .passwordResetFailed(let text): "The password cannot be set with this link: \(text)"
        }
    }
}

extension InsForgeAuthError: ScreenAdvice {
    /// The notice of a network error about the connection or the device's clock; `nil` for other errors.
    package var notice: SignInScreen.Notice? { if case .networkError(let error) = self { error.notice } else { nil } }
}
