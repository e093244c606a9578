/// A chain found no account, or a provider of the chain failed.
///
/// With an ``underlying`` error, the code, the class, and whether signing in would help are those of that error. If it is no
/// ``IdentityFailure``, the code is `provider_failed`. Without an underlying error, no provider has an account: the code is
/// `no_account`, the class is ``FailureClass/unavailable``, and signing in would help. The message has a headline, and one more
/// line for each attempt.
public struct ChainError: StatedFailure {
    /// The attempts in the order in which they were made, up to the failure that stopped the chain, if one did. The last
    /// entries are for the providers that a ``ProviderOverride`` excludes, which were not asked.
    public let attempts: [ChainAttempt]
    /// The name of the provider whose failure stopped the chain; `nil` when all providers were tried.
    package let stoppedAt: String?
    /// The error of the provider that stopped the chain, or else the first error that the chain skipped. `nil` when no
    /// provider failed, and none has an account.
    public let underlying: (any Error)?

    package init(attempts: [ChainAttempt], stoppedAt: String? = nil, underlying: (any Error)?) {
        self.attempts = attempts
        self.stoppedAt = stoppedAt
        self.underlying = underlying
    }

    package var facts: FailureFacts {
        let message = ([headline] + attempts.map { "  \($0)" }).joined(separator: "\n")
        guard let underlying else { return FailureFacts("no_account", .unavailable, message, asksForSignIn: true) }
        let code = (underlying as? any IdentityFailure)?.failureCode ?? ProviderError.code
        return FailureFacts(code, underlying.identityFailureClass, message, asksForSignIn: underlying.asksForSignIn)
    }

    private var headline: String {
        if let stoppedAt {
            return "The identity provider \"\(stoppedAt)\" failed, so no other was asked."
        }
        return underlying == nil
            ? "No identity provider has an account."
            : "No identity provider has an account, and not all could be asked."
    }
}
