import IdentityKit

/// Answers prompts from a list, and cancels when the list is empty.
public final class ScriptedPrompter: FlowPrompter {
    private struct State: Sendable {
        var answers: [PromptAnswer]
        var prompts: [SignInPrompt] = []
    }

    private let state: Locked<State>

    /// Makes a prompter that gives these answers in order.
    public init(_ answers: [PromptAnswer]) {
        state = Locked(State(answers: answers))
    }

    /// Makes a prompter that answers each prompt with the next dictionary of `values`, whose keys are field identifiers.
    public convenience init(_ values: [String: Secret]...) {
        self.init(values.map { PromptAnswer(values: $0) })
    }

    public var prompts: [SignInPrompt] { state.withLock { $0.prompts } }

    /// Records the prompt, and returns the next answer of the list.
    /// - Throws: `CancellationError` when the list is empty.
    public func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer {
        try state.withLock { state in
            state.prompts.append(prompt)
            guard !state.answers.isEmpty else { throw CancellationError() }
            return state.answers.removeFirst()
        }
    }
}
