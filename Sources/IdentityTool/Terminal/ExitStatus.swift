import ArgumentParser
import IdentityKit
import IdentityTerminal

/// The exit statuses of the tool. Their meaning never changes, because scripts depend on them.
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

    /// The meaning, for the help.
    var meaning: String {
        switch self {
        case .success: "success"
        case .failure: "a failure that trying again will not fix"
        case .notSignedIn: "no account is signed in, or the session has ended: sign in"
        case .refused: "the backend refused the sign-in, or it was cancelled"
        case .unavailable: "the backend, the network or the store is not available now: try again later"
        case .usage: "the command line is wrong"
        case .configuration: "the configuration is missing or has a mistake"
        case .notExecutable: "the command of exec could not be started"
        case .commandMissing: "the command of exec was not found"
        case .interrupted: "Ctrl-C; another signal gives \(Self.signalBase) and its number"
        case .readerGone: "the reader of the output has closed it"
        }
    }

    /// A sign-in that ended, as the person wanted, with a new password and without a session.
    private static let passwordChanged = "password_changed"

    /// The status for `error`.
    init(of error: any Error) {
        switch error {
        case let error as OutputError: self = error.isReaderGone ? .readerGone : .failure
        case let error as any IdentityFailure where error.failureCode == Self.passwordChanged: self = .success
        case is Interrupted: self = .interrupted
        case is CancellationError: self = .refused
        case is ConfigurationError, is ConfigurationMistake, is ConfigurationFileError, is ServerURLError,
            is ServeSetupError:
            self = .configuration
        case is SettingsMissing, is BackendNotNamed, is StoreIsConfigured, is TypeUnknown: self = .usage
        case let error as AccountChoiceError where error.known.isEmpty: self = .notSignedIn
        case let error as CommandNotStarted: self = error.isMissing ? .commandMissing : .notExecutable
        case let error as ChainError: self = error.underlying.map(ExitStatus.init(of:)) ?? .notSignedIn
        default: self.init(ofFailure: error)
        }
    }

    /// Classifies the errors of providers by their stable codes.
    private init(ofFailure error: any Error) {
        let code = (error as? any IdentityFailure)?.failureCode.lowercased() ?? ""
        if Self.codesOfMissingSessions.contains(code) {
            self = .notSignedIn
        } else if Self.codesOfRefusals.contains(code), error.identityFailureClass != .unavailable {
            self = .refused
        } else {
            self = error.identityFailureClass == .transient ? .unavailable : .failure
        }
    }

    /// There is no usable session.
    private static let codesOfMissingSessions: Set = [
        "not_signed_in", "session_ended", "session_cannot_refresh", "session_expired", "insufficient_scope",
    ]

    /// The backend refused the person, or the person cancelled.
    private static let codesOfRefusals: Set = [
        "sign_in_refused", "browser_timed_out",
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

    /// The message of `error`. For a missing session it ends with the command that signs in.
    func advice(on error: any Error) -> String {
        guard self == .notSignedIn else { return error.identityMessage }
        var (message, scopes) = (error.identityMessage.withoutSignInRequest, Set<String>())
        if case SessionError.insufficientScope(let account, let missing) = error {
            message = "The session of \(account) lacks \(missing.sorted().joined(separator: ", "))."
            scopes = missing
        }
        return message + " Sign in with: identity login" + scopes.sorted().map { " --scope \($0)" }.joined()
    }

    /// The section of the help.
    static let help =
        "EXIT STATUS\n"
        + allCases.map { status in
            let number = "\(status.rawValue)"
            return "  \(number)" + String(repeating: " ", count: 5 - number.count) + status.meaning
        }.joined(separator: "\n")
}

extension ExitStatus {
    /// The error for commands that have printed everything already.
    var code: ExitCode { ExitCode(rawValue) }

    /// What shells add to the number of the signal that ended a program.
    private static let signalBase: Int32 = 128

    /// The exit status of a program that a signal has interrupted.
    static func code(of interruption: Interrupted) -> Int32 { signalBase + interruption.signal }
}
