import IdentityKit

/// Errors of a sign-in whose questions could not be answered at the terminal.
public enum TerminalPromptError: IdentityFailure, Equatable {
    /// An answer was refused and cannot be corrected, or the input ended before the one-time code from the server was
    /// entered. The text is the reason to show to the person.
    case refused(String)
    /// Standard input ended before every question was answered, such as at the end of a script's answers.
    case inputEnded

    public var failureCode: String {
        switch self {
        case .refused: "sign_in_refused"
        case .inputEnded: "input_ended"
        }
    }

    /// Always definitive, because the same input leads to the same error.
    public var failureClass: FailureClass { .definitive }

    public var message: String {
        switch self {
        case .refused(let reason): reason
        case .inputEnded: "Standard input ended before every question was answered. Run the program at a terminal."
        }
    }
}
