/// A chain's walk that found no account, or ended with an error.
public struct ChainError: IdentityFailure {
    /// The attempts, in the order they were made.
    public let attempts: [ChainAttempt]
    /// The provider whose failure ended the walk; `nil` when every provider was tried.
    public let stoppedAt: String?
    /// The error that ended the walk or was skipped; `nil` when every provider was tried and none had an account.
    public let underlying: (any Error)?

    public init(attempts: [ChainAttempt], stoppedAt: String? = nil, underlying: (any Error)?) {
        self.attempts = attempts
        self.stoppedAt = stoppedAt
        self.underlying = underlying
    }

    /// Code of the underlying error, or `no_account`.
    public var failureCode: String {
        guard let underlying else { return "no_account" }
        return (underlying as? any IdentityFailure)?.failureCode ?? ProviderError.code
    }

    /// Class of the underlying error; unavailable without one.
    public var failureClass: FailureClass { underlying?.identityFailureClass ?? .unavailable }

    /// Taken from the underlying error; `true` without one, because no provider has an account.
    public var asksForSignIn: Bool { underlying?.asksForSignIn ?? true }

    /// Text with one line for each attempt.
    public var message: String {
        ([headline] + attempts.map { "  \($0.summary)" }).joined(separator: "\n")
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
