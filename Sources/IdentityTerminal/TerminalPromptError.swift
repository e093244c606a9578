import IdentityKit

/// Errors of a sign-in whose questions could not be answered at the terminal. Always definitive, because the same input
/// leads to the same error.
public enum TerminalPromptError: StatedFailure, Equatable {
    /// An answer was refused and cannot be corrected, or the input ended before the one-time code from the server was
    /// entered. The text is the reason to show to the person.
    case refused(String)
    /// Standard input ended before every question was answered, such as at the end of a script's answers.
    case inputEnded

    package var facts: FailureFacts {
        switch self {
        case .refused(let reason): .definitive("sign_in_refused", reason)
        case .inputEnded:
            .definitive(
                "input_ended",
                "Standard input ended before every question was answered. Run the program at a terminal.")
        }
    }
}
