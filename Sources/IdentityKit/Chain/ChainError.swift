/// A chain ended without an account and without being sure that there is none: every attempt in order, and the error.
public struct ChainError: IdentityFailure {
    /// The attempts, in the order they were made.
    public let attempts: [ChainAttempt]
    /// The provider whose failure ended the walk; `nil` when every provider was asked.
    public let stoppedAt: String?
    /// The error that ended the walk or was passed over; `nil` when every provider was asked and none had an account.
    public let underlying: (any Error)?

    /// The walk that failed.
    public init(attempts: [ChainAttempt], stoppedAt: String? = nil, underlying: (any Error)?) {
        self.attempts = attempts
        self.stoppedAt = stoppedAt
        self.underlying = underlying
    }

    /// A walk that went to its end past a failure.
    init(passingOver attempts: [ChainAttempt], _ error: any Error) {
        self.init(attempts: attempts, underlying: error)
    }

    /// The underlying error's code, or `no_account`.
    public var failureCode: String {
        guard let underlying else { return "no_account" }
        return (underlying as? any IdentityFailure)?.failureCode ?? "provider_failed"
    }

    /// The underlying error's class.
    public var failureClass: FailureClass { underlying?.identityFailureClass ?? .unavailable }

    /// One line per attempt.
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
