/// Suggestions of passkeys while a person types.
extension SignInFlow {
    /// Suggests passkeys while the person types, and submits the passkey that the person chooses. The suggestion ends when
    /// the task is cancelled.
    ///
    /// Returns at once if the system suggests no passkeys, or if the step does not accept a passkey as an alternative to its
    /// fields. In ThunderID's built-in flows, a step accepts a passkey only after the person has chosen to use one.
    ///
    /// This library's views call this method. In a form of your own, call it for each step, from a task that is cancelled
    /// when the next step appears.
    public func suggestPasskeys() async {
        guard let passkeys = handlers.passkeys, let request = suggestion, let question = step else { return }
        // The person can fill in the fields instead, so errors of the suggestion are not shown.
        guard let assertion = try? await passkeys.suggestedAssertion(for: request) else { return }
        // In the meantime, another step may have appeared, or the person may have submitted the fields.
        guard !isLoading, suggestion == request else { return }
        // Submit in another task, because the caller's task is cancelled when the next step appears.
        await Task { await run { question.payload(for: assertion) } }.value
    }

    /// The request for a passkey to suggest while the person types; `nil` if the step has no such request beside its fields,
    /// or the system suggests no passkeys.
    var suggestion: PasskeyRequest? {
        handlers.passkeys?.suggestsPasskeys == true ? flow.suggestedPasskey : nil
    }

    /// Whether a browser page or a passkey completes the step, so that the step shows no fields.
    var isAutomatic: Bool { flow.isAutomatic && suggestion == nil }
}
