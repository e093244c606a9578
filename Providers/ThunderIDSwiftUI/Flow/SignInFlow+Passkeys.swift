/// Passkeys that are suggested while a person types.
extension SignInFlow {
    /// Suggests passkeys for the step as long as the task runs, where the system can, and signs in with the one that the
    /// person takes. It returns at once when the step has no question for a passkey beside its fields: ThunderID's own flows
    /// ask for a passkey only when the person has chosen it.
    ///
    /// The views do it by themselves. In a form of your own call it for each step, from a task that ends with the step.
    public func suggestPasskeys() async {
        guard let passkeys = handlers.passkeys, let request = suggestion, let question = step else { return }
        // Nobody asked for the suggestion, so what is wrong with it is nothing to show.
        guard let assertion = try? await passkeys.suggestedAssertion(for: request) else { return }
        // The question is still there, and nothing else was submitted meanwhile.
        guard !isLoading, suggestion == request else { return }
        // Not in the caller's task, which ends with the step.
        await Task { await run { question.payload(for: assertion) } }.value
    }

    /// The passkey to suggest beside the fields; `nil` where the system suggests none.
    var suggestion: PasskeyRequest? {
        handlers.passkeys?.suggestsPasskeys == true ? flow.suggestedPasskey : nil
    }

    /// Whether a page or a passkey completes the step, without fields.
    var isAutomatic: Bool { flow.isAutomatic && suggestion == nil }
}
