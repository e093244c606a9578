/// A chain found no account, or a provider of the chain failed.
public struct ChainError: IdentityFailure {
    /// The attempts in the order in which they were made. Those of providers that an override excludes, if any, come last.
    public let attempts: [ChainAttempt]
    /// The name of the provider whose failure stopped the chain; `nil` when all providers were tried.
    public let stoppedAt: String?
    /// The error of the provider that stopped the chain, or else the first error that the chain skipped. `nil` when no
    /// provider failed, and none has an account.
    public let underlying: (any Error)?

    package init(attempts: [ChainAttempt], stoppedAt: String? = nil, underlying: (any Error)?) {
        self.attempts = attempts
        self.stoppedAt = stoppedAt
        self.underlying = underlying
    }

    /// Code of the underlying error: `provider_failed` if it is no ``IdentityFailure``. Without an underlying error,
    /// `no_account`.
    public var failureCode: String {
        guard let underlying else { return "no_account" }
        return (underlying as? any IdentityFailure)?.failureCode ?? ProviderError.code
    }

    /// Class of the underlying error; ``FailureClass/unavailable`` when there is no underlying error.
    public var failureClass: FailureClass { underlying?.identityFailureClass ?? .unavailable }

    /// Whether signing in would help, according to the underlying error; `true` when there is no underlying error,
    /// because then no provider has an account.
    public var asksForSignIn: Bool { underlying?.asksForSignIn ?? true }

    /// A headline for a person, and one more line for each attempt.
    public var message: String {
        ([headline] + attempts.map { "  \($0)" }).joined(separator: "\n")
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
