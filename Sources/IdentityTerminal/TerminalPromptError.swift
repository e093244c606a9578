import IdentityKit

/// Why nobody could answer a question on the terminal.
public enum TerminalPromptError: IdentityFailure, Equatable {
    /// The server refused a given answer, and would refuse it again.
    case refused(String)
    /// Standard input was closed before every question was answered.
    case inputEnded

    public var failureCode: String {
        switch self {
        case .refused: "sign_in_refused"
        case .inputEnded: "input_ended"
        }
    }

    /// Definitive, because the same input leads to the same error.
    public var failureClass: FailureClass { .definitive }

    public var message: String {
        switch self {
        case .refused(let reason): reason
        case .inputEnded: "Standard input ended before every question was answered. Run the program at a terminal."
        }
    }
}
