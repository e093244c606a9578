/// A chain's attempt to get an account from one provider.
public struct ChainAttempt: Sendable {
    /// The provider's name in the chain.
    public let provider: String
    /// The question to the provider.
    public let question: Question
    public let outcome: Outcome
    /// How long it took.
    public let duration: Duration
    /// The ended session that the account is a fallback for, if it is one.
    public var fallback: SessionFallback?
    /// Why the account needs its person, if it does.
    public var suspension: Suspension?
    /// Whether the account's provider signs nobody in and has no access token yet: it is configured, and nobody knows whether
    /// its server gives it one.
    public internal(set) var isOnlyConfigured = false
    /// Whether the next provider answers in its place: it needs its person, and has no access token that works.
    var isReplaceable = false

    package init(provider: String, question: Question, outcome: Outcome, duration: Duration) {
        (self.provider, self.question, self.outcome, self.duration) = (provider, question, outcome, duration)
    }

    /// A question to a provider.
    public enum Question: String, Sendable, Codable {
        /// The account that is signed in, without showing anything.
        case silent
        /// A sign-in, which may be shown.
        case interactive
    }

    /// The result of an attempt.
    public enum Outcome: Sendable {
        /// The provider has this account. The walk ends.
        case account(AccountID)
        /// The provider has no account, for this reason. The next provider is tried.
        case absent(AbsenceReason)
        /// The provider failed with an error that the chain skips. The next provider is tried; if none has an account,
        /// this is the walk's error.
        case passedOver(any Error)
        /// The provider failed. The walk ends, because a wrong account is worse than none.
        case failed(any Error)
    }

    /// Provider and outcome in a few words, without the duration, tokens, codes or URL queries.
    public var summary: String { "\(provider): \(outcomeText)" }

    fileprivate var outcomeText: String {
        switch outcome {
        case .account(let account) where isOnlyConfigured:
            "configured as \(account), without a token so far" + (fallback.map { ", \($0)" } ?? "")
        case .account(let account):
            "signed in as \(account)" + (fallback.map { ", \($0)" } ?? "")
                + (suspension == nil ? "" : ", needs a sign-in")
        case .absent(let reason): "\(reason)"
        case .passedOver(let error): "\(error.scrubbedMessage) (passed over)"
        case .failed(let error): error.scrubbedMessage
        }
    }

    var passedOverError: (any Error)? {
        if case .passedOver(let error) = outcome { error } else { nil }
    }
}

extension ChainAttempt: CustomStringConvertible {
    /// The ``summary`` with question and duration, for logs.
    public var description: String { "\(summary) [\(question.rawValue), \(duration.formattedSeconds)]" }
}

extension Collection<ChainAttempt> {
    /// The outcomes of all attempts as part of a sentence, each once with all its providers.
    var summary: String {
        var outcomes: [(text: String, providers: [String])] = []
        for attempt in self {
            let text = attempt.outcomeText
            guard let index = outcomes.firstIndex(where: { $0.text == text }) else {
                outcomes.append((text, [attempt.provider]))
                continue
            }
            if !outcomes[index].providers.contains(attempt.provider) {
                outcomes[index].providers.append(attempt.provider)
            }
        }
        return outcomes.map { "\($1.joined(separator: ", ")): \($0.withoutFinalPeriod)" }.joined(separator: "; ")
    }
}
