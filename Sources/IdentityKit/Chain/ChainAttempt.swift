/// What one provider of a chain was asked and what it answered.
public struct ChainAttempt: Sendable {
    /// The provider's name in the chain.
    public let provider: String
    /// How it was asked.
    public let pass: Pass
    /// What came of it.
    public let outcome: Outcome
    /// How long the answer took.
    public let duration: Duration

    /// How a provider is asked.
    public enum Pass: String, Sendable, Codable {
        /// Without showing anything.
        case silent
        /// A sign-in may be shown.
        case interactive
    }

    /// What came of asking.
    public enum Outcome: Sendable {
        /// It has this account. The walk ends.
        case account(AccountID)
        /// It has none, for this reason. The next provider is asked.
        case none(AbsenceReason)
        /// It failed. The walk ends: a wrong identity is worse than no identity.
        case failed(any Error)
    }

    /// Provider and outcome in a few words, without the duration.
    public var summary: String {
        switch outcome {
        case .account(let account): "\(provider): signed in as \(account)"
        case .none(let reason): "\(provider): \(reason)"
        case .failed(let error): "\(provider): \(error.identityMessage)"
        }
    }
}

/// A chain stopped without an account: every attempt in order, and the error that stopped it.
public struct ChainError: IdentityFailure {
    /// The attempts, in the order they were made.
    public let attempts: [ChainAttempt]
    /// The error of the last attempt; `nil` when every provider was asked and none had an account.
    public let underlying: (any Error)?

    /// The walk that failed.
    public init(attempts: [ChainAttempt], underlying: (any Error)?) {
        self.attempts = attempts
        self.underlying = underlying
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
        let headline =
            underlying == nil
            ? "No identity provider has an account."
            : "The identity provider \"\(attempts.last?.provider ?? "")\" failed, so no other was asked."
        return ([headline] + attempts.map { "  \($0.summary)" }).joined(separator: "\n")
    }
}

/// A chain was put together, or called, in a way that has no meaning.
public enum ChainUsageError: IdentityFailure, Equatable {
    /// No provider of the chain answers for the account's realm.
    case unknownRealm(AccountID, known: [String])
    /// No provider of the chain has this name.
    case unknownProvider(String, known: [String])
    /// Two providers have the same name or answer for the same realm.
    case ambiguous(String)
    /// A provider returned an account of a realm that is not its own.
    case foreignAccount(AccountID, provider: String)

    /// Stable code.
    public var failureCode: String {
        switch self {
        case .unknownRealm: "unknown_realm"
        case .unknownProvider: "unknown_provider"
        case .ambiguous: "ambiguous_chain"
        case .foreignAccount: "foreign_account"
        }
    }

    /// Always ``FailureClass/definitive``.
    public var failureClass: FailureClass { .definitive }

    /// What to change.
    public var message: String {
        switch self {
        case .unknownRealm(let account, let known):
            "No provider answers for \(account). Configured: \(known.joined(separator: ", "))."
        case .unknownProvider(let name, let known):
            "There is no provider named \"\(name)\". Configured: \(known.joined(separator: ", "))."
        case .ambiguous(let name):
            "Two providers are called \"\(name)\" or answer for it. Give each a name of its own."
        case .foreignAccount(let account, let provider):
            "The provider \"\(provider)\" returned \(account), an account of another realm. It was refused."
        }
    }
}
