/// A chain found no account, or a provider of the chain failed.
///
/// The code, the class, and whether signing in would help are those of the underlying error; the code is `provider_failed` if
/// that error is no ``IdentityFailure``. Without an underlying error, the code is `no_account`, the class is
/// ``FailureClass/unavailable``, and signing in would help, because no provider has an account. The message has a headline, and
/// one more line for each attempt.
public struct ChainError: StatedFailure {
    /// The attempts in the order in which they were made; if a provider's failure stopped the chain, its attempt is the last
    /// of these. The attempts of providers that an override excludes follow.
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
