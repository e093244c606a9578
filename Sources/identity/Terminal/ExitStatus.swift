#if Tools
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
        case ClientError.notSignedIn: self = .notSignedIn
        case SessionError.notSignedIn, SessionError.ended, SessionError.cannotRenew, SessionError.insufficientScope:
            self = .notSignedIn
        case let error as AccountChoiceError where error.known.isEmpty: self = .notSignedIn
        case is SignInRefused: self = .refused
        case let error as CommandNotStarted: self = error.isMissing ? .commandMissing : .notExecutable
        case let error as ChainError: self = error.underlying.map(ExitStatus.init(of:)) ?? .notSignedIn
        default: self = error.identityFailureClass == .transient ? .unavailable : .failure
        }
    }

    /// What to run, as a sentence to follow the message; empty when there is nothing to say.
    func remedy(for error: any Error) -> String {
        guard self == .notSignedIn else { return "" }
        var scopes: Set<String> = []
        if case SessionError.insufficientScope(_, let missing) = error { scopes = missing }
        return " Sign in with: identity login" + scopes.sorted().map { " --scope \($0)" }.joined()
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
    let failureCode = "sign_in_refused"
    let failureClass = FailureClass.definitive
    let message: String
}
#endif
