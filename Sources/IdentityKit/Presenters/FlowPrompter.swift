/// Asks the user for the input of a sign-in step, such as with a form in an app or at a terminal.
public protocol FlowPrompter: Sendable {
    /// Shows `prompt` and waits for the answer.
    /// - Throws: `CancellationError` when the user cancels. Every error ends the sign-in.
    func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer
}

/// The user's answer to a ``SignInPrompt``: the entered values and the chosen action.
public struct PromptAnswer: Sendable, Equatable {
    /// The values by field identifier. All are treated as secrets.
    public let values: [String: Secret]
    /// The identifier of the chosen action; `nil` for the default, which is the first action of the prompt.
    public let action: String?

    public init(values: [String: Secret], action: String? = nil) {
        self.values = values
        self.action = action
    }
}
