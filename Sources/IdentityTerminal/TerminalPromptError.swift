import IdentityKit

/// Why a terminal could not answer for a person.
public enum TerminalPromptError: IdentityFailure, Equatable {
    /// The answer that was given to a script was refused. It would be refused again.
    case refused(String)
    /// Standard input was closed before every question was answered.
    case inputEnded

    public var failureCode: String {
        switch self {
        case .refused: "sign_in_refused"
        case .inputEnded: "input_ended"
        }
    }

    /// Definitive: the same input leads to the same end.
    public var failureClass: FailureClass { .definitive }

    public var message: String {
        switch self {
        case .refused(let reason): reason
        case .inputEnded: "Standard input ended before every question was answered. Run the program at a terminal."
        }
    }
}
