import ArgumentParser
import Foundation
import IdentityKit
import IdentityTerminal

/// The exit status of the tool. The meaning of a number never changes, because scripts depend on it.
public struct ExitStatus: RawRepresentable, Hashable, Sendable {
    /// The number with which the process exits.
    public let rawValue: Int32

    /// Creates a status with any number, such as the exit status of a program that `identity exec` has run.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// 0: the command succeeded.
    public static let success = ExitStatus(rawValue: 0)
    /// 1: a failure that trying again will not fix.
    public static let failure = ExitStatus(rawValue: 1)
    /// 3: no account is signed in, or the session has ended, is suspended until a new sign-in, cannot be refreshed, lacks a
    /// scope, or belongs to another configuration.
    public static let notSignedIn = ExitStatus(rawValue: 3)
    /// 4: the backend refused the sign-in, or the person cancelled it.
    public static let refused = ExitStatus(rawValue: 4)
    /// 5: the backend, the network or the store is unavailable now, or nobody completed the sign-in in time.
    public static let unavailable = ExitStatus(rawValue: 5)
    /// 64: the command line is wrong.
    public static let usage = ExitStatus(rawValue: 64)
    /// 78: the configuration is missing or has a mistake.
    public static let configuration = ExitStatus(rawValue: 78)
    /// 126: the command of `exec` was found but could not be started.
    public static let notExecutable = ExitStatus(rawValue: 126)
    /// 127: the command of `exec` was not found.
    public static let commandMissing = ExitStatus(rawValue: 127)
    /// 130: Ctrl-C (SIGINT) interrupted the command, or the command's task was cancelled.
    public static let interrupted = ExitStatus(ofSignal: SIGINT)
    /// 141: the program that reads the output has closed it, as `head` does (SIGPIPE).
    public static let readerGone = ExitStatus(ofSignal: SIGPIPE)
}

extension ExitStatus {
    /// The number that shells add to a signal's number. The sum is the exit status of a program that the signal ended.
    private static let signalBase: Int32 = 128

    init(ofSignal number: Int32) { self.init(rawValue: Self.signalBase + number) }

    static let meanings: [(status: ExitStatus, meaning: String)] = [
        (.success, "success"),
        (.failure, "a failure that trying again will not fix"),
        (.notSignedIn, "no account is signed in, or the session has ended: sign in"),
        (.refused, "the backend refused the sign-in, or it was cancelled"),
        (
            .unavailable,
            "the backend, the network or the store is not available now, or the sign-in took too long: try again later"
        ),
        (.usage, "the command line is wrong"),
        (.configuration, "the configuration is missing or has a mistake"),
        (.notExecutable, "the command of exec could not be started"),
        (.commandMissing, "the command of exec was not found"),
        (.interrupted, "Ctrl-C; another signal gives \(signalBase) and its number"),
        (.readerGone, "the reader of the output has closed it"),
    ]

    /// The failure code of a sign-in that only changed the password, as intended, and created no session.
    private static let passwordChanged = "password_changed"

    /// Chooses the exit status for the error of a command.
    /// - Parameter refusals: the failure codes of errors that mean that a backend refused a sign-in.
    init(of error: any Error, refusals: Set<String> = ProviderRegistry.ofTool.refusals) {
        switch error {
        case let error as OutputError: self = error.isReaderGone ? .readerGone : .failure
        case let error as any IdentityFailure where error.failureCode == Self.passwordChanged: self = .success
        case is CancellationError: self = .refused
        case is ConfigurationError, is ConfigurationCheckError, is ConfigurationFileError, is ServerURLError,
            is ServeSetupError, is NothingConfiguredError:
            self = .configuration
        case ChainUsageError.unknownProvider(_, _, namedBy: _?), ChainUsageError.providerVariableMissing,
            DestinationError.notNamed:
            self = .configuration
        case is SignInArgumentError, is MissingSettingsError, is MissingArgumentError, is BackendNotNamedError,
            is StoreIsConfiguredError,
            is UnknownTypeError:
            self = .usage
        // A `home` that begins with a slash is the path of a key file. A missing key file does not come back by itself, but a
        // locked keyring may be unlocked soon.
        case TokenStoreError.keyUnavailable(let home, _) where home.hasPrefix("/"): self = .failure
        case let error as AccountChoiceError where error.isAboutSignIn: self = .notSignedIn
        case let error as CommandNotStartedError: self = error.isMissing ? .commandMissing : .notExecutable
        case let error as ChainError:
            self.init(of: error.underlying ?? AbsenceReason.chain(error.attempts).error, refusals: refusals)
        default: self.init(ofFailure: error, refusals)
        }
    }

    /// Classifies an error by its failure code, or by its failure class if the code has no exit status of its own.
    private init(ofFailure error: any Error, _ refusals: Set<String>) {
        let code = (error as? any IdentityFailure)?.failureCode.lowercased() ?? ""
        if error.asksForSignIn || Self.codesOfMissingSessions.contains(code) {
            self = .notSignedIn
        } else if Self.codesOfTimeouts.contains(code) {
            self = .unavailable
        } else if Self.codesOfRefusals.contains(code) || refusals.contains(code),
            error.identityFailureClass == .definitive
        {
            self = .refused
        } else {
            self = error.identityFailureClass == .transient ? .unavailable : .failure
        }
    }

    private static let codesOfMissingSessions: Set = [
        "not_signed_in", "session_ended", "session_cannot_refresh", "session_expired", "insufficient_scope",
    ]

    /// Failure codes of sign-ins that nobody completed in time. `browser_timed_out`: the browser did not return.
    /// `sign_in_timed_out`: the time of `--timeout` passed, or the sign-in of another process ended without an account.
    /// `expired_token`: the device code expired (RFC 8628 section 3.5).
    private static let codesOfTimeouts: Set = ["browser_timed_out", "sign_in_timed_out", "expired_token"]

    /// Failure codes of refused sign-ins that every backend may use. `access_denied` also means that the person declined.
    private static let codesOfRefusals: Set = [
        "sign_in_refused",
        // RFC 6749 sections 4.1.2.1 and 5.2, RFC 8628 section 3.5, RFC 9470 section 3, OpenID Connect Core section 3.1.2.6
        "access_denied", "invalid_grant", "insufficient_user_authentication", "login_required",
        "interaction_required", "consent_required", "account_selection_required",
    ]

    /// Returns the message of `error` with account identifiers. Appends the command that signs in if the status is
    /// ``notSignedIn``. For a store that is not private, appends the command that changes the permissions.
    func advice(on error: any Error) -> String {
        guard self == .notSignedIn else {
            guard case TokenStoreError.insecure(let path, _) = error else { return error.messageWithIdentifier }
            return ([error.messageWithIdentifier] + [StoreRemedy.permission(path)].compactMap(\.self))
                .joined(separator: " ")
        }
        var (message, options) = (error.messageWithIdentifier.withoutSignInRequest, "")
        switch error as? SessionError {
        case .insufficientScope(let account, let missing)?:
            message = "The session of \(account) lacks \(missing.sorted().joined(separator: ", "))."
            options = missing.sorted().map { " --scope \($0)" }.joined()
        case .stepUpNeeded(let account, let scopes, _, _)?:
            // Always add an option, because `identity login` without options keeps a session that is still valid.
            options =
                scopes.isEmpty
                ? " --provider \(account.realm)" : scopes.sorted().map { " --scope \($0)" }.joined()
        default: break
        }
        return message + " Sign in with: identity login" + options
    }

    static let help =
        "EXIT STATUS\n"
        + meanings.map { status, meaning in
            let number = "\(status.rawValue)"
            return "  \(number)" + String(repeating: " ", count: 5 - number.count) + meaning
        }.joined(separator: "\n")
}

extension ExitStatus {
    /// The error that a command throws to exit with this status after it has printed its own message.
    var code: ExitCode { ExitCode(rawValue) }
}
