import ArgumentParser
import IdentityKit

/// The exit statuses of the tool. Scripts branch on them, so they never change their meaning.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case failure = 1
    case notSignedIn = 3
    case refused = 4
    case unavailable = 5
    case usage = 64
    case configuration = 78
    case notExecutable = 126
    case commandMissing = 127
    case interrupted = 130
    case readerGone = 141

    /// What the status means, for the help.
    var meaning: String {
        switch self {
        case .success: "everything went well"
        case .failure: "something failed that will not mend itself"
        case .notSignedIn: "nobody is signed in, or the session has ended: sign in"
        case .refused: "the backend refused the sign-in, or somebody gave it up"
        case .unavailable: "the backend, the network or the store is not available now: try again later"
        case .usage: "the command line is wrong"
        case .configuration: "the configuration is missing or has a mistake"
        case .notExecutable: "the command of exec could not be started"
        case .commandMissing: "the command of exec was not found"
        case .interrupted: "Ctrl-C; another signal ends it with 128 and its number"
        case .readerGone: "whoever read the output has left"
        }
    }

    /// A sign-in that ended with a new password, as the person wanted, and with nobody signed in.
    private static let passwordChanged = "password_changed"

    /// The status that tells what a caller can do about `error`.
    init(of error: any Error) {
        switch error {
        case let error as OutputError: self = error.isReaderGone ? .readerGone : .failure
        case let error as any IdentityFailure where error.failureCode == Self.passwordChanged: self = .success
        case is Interrupted: self = .interrupted
        case is CancellationError: self = .refused
        case is ConfigurationError, is ConfigurationMistake, is ConfigurationFileError, is ServerURLError,
            is ServeSetupError:
            self = .configuration
        case let error as AccountChoiceError where error.known.isEmpty: self = .notSignedIn
        case let error as CommandNotStarted: self = error.isMissing ? .commandMissing : .notExecutable
        case let error as ChainError: self = error.underlying.map(ExitStatus.init(of:)) ?? .notSignedIn
        default: self.init(ofFailure: error)
        }
    }

    /// Errors of any provider are told apart by their codes, which are stable.
    private init(ofFailure error: any Error) {
        let code = (error as? any IdentityFailure)?.failureCode.lowercased() ?? ""
        if Self.codesOfNobody.contains(code) {
            self = .notSignedIn
        } else if Self.codesOfRefusals.contains(code), error.identityFailureClass != .unavailable {
            self = .refused
        } else {
            self = error.identityFailureClass == .transient ? .unavailable : .failure
        }
    }

    /// There is no session that could be used.
    private static let codesOfNobody: Set = [
        "not_signed_in", "session_ended", "session_cannot_refresh", "session_expired", "insufficient_scope",
    ]

    /// The backend says no to this person, or the person to the backend.
    private static let codesOfRefusals: Set = [
        SignInRefused.code, "browser_timed_out",
        // RFC 6749 section 4.1.2.1, RFC 8628 section 3.5, RFC 9470 and OpenID Connect Core section 3.1.2.6
        "access_denied", "invalid_grant", "expired_token", "insufficient_user_authentication", "login_required",
        "interaction_required", "consent_required", "account_selection_required",
        // InsForge
        "invalid_credentials", "user_not_found", "email_not_verified", "user_already_exists", "signup_disabled",
        "weak_password", "invalid_code", "id_token_refused", "oauth_failed", "forbidden", "cancelled", "mailed_link",
        // ThunderID
        "authentication_failed", "user_account_locked", "user_account_disabled", "mfa_required", "mfa_failed",
        "invitation_code_invalid", "invitation_code_expired", "registration_disabled", "recovery_failed",
        "confirmation_code_invalid", "confirmation_code_expired",
    ]

    /// The message of `error`, with the command to run where that helps: it takes the place of the message's own request
    /// to sign in.
    func advice(on error: any Error) -> String {
        guard self == .notSignedIn else { return error.identityMessage }
        var (message, scopes) = (error.identityMessage.withoutSignInRequest, Set<String>())
        if case SessionError.insufficientScope(let account, let missing) = error {
            message = "The session of \(account) lacks \(missing.sorted().joined(separator: ", "))."
            scopes = missing
        }
        return message + " Sign in with: identity login" + scopes.sorted().map { " --scope \($0)" }.joined()
    }

    /// The section of the help that lists them.
    static let help =
        "EXIT STATUS\n"
        + allCases.map { status in
            let number = "\(status.rawValue)"
            return "  \(number)" + String(repeating: " ", count: 5 - number.count) + status.meaning
        }.joined(separator: "\n")
}

extension ExitStatus {
    /// For commands that have told everything already.
    var code: ExitCode { ExitCode(rawValue) }
}

/// A sign-in came to nothing, with what the backend or the person said.
struct SignInRefused: IdentityFailure {
    static let code = "sign_in_refused"

    let failureCode = Self.code
    let failureClass = FailureClass.definitive
    let message: String
}
