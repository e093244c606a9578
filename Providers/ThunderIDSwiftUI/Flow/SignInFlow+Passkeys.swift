/// Suggestions of passkeys while a person types.
extension SignInFlow {
    /// Suggests passkeys for the step as long as the task runs, where the system can, and signs in with the one that
    /// the person chooses. Returns at once if the step does not accept a passkey besides its fields; ThunderID's
    /// built-in flows do so only after the person has chosen a passkey.
    ///
    /// The library's views call this. In a form of your own, call it for each step, from a task that ends with the step.
    public func suggestPasskeys() async {
        guard let passkeys = handlers.passkeys, let request = suggestion, let question = step else { return }
        // The suggestion is optional, so its errors are not shown.
        guard let assertion = try? await passkeys.suggestedAssertion(for: request) else { return }
        // Check that the step is still the same and nothing else was submitted in the meantime.
        guard !isLoading, suggestion == request else { return }
        // Use another task, because the caller's ends with the step.
        await Task { await run { question.payload(for: assertion) } }.value
    }

    /// The passkey to suggest beside the fields; `nil` if there is none or the system suggests none.
    var suggestion: PasskeyRequest? {
        handlers.passkeys?.suggestsPasskeys == true ? flow.suggestedPasskey : nil
    }

    /// Whether a page or a passkey completes the step, without fields.
    var isAutomatic: Bool { flow.isAutomatic && suggestion == nil }
}
