/// A chain's attempt to get an account from one provider.
public struct ChainAttempt: Sendable {
    public let provider: String
    /// The kind of attempt: silent, or one that may show a sign-in.
    public let question: Question
    public let outcome: Outcome
    /// Time that the attempt took.
    public let duration: Duration
    /// The ended session that the account stands in for; `nil` when it is no fallback.
    public var fallback: SessionFallback?
    /// Why the account's session is suspended; `nil` when it is not.
    public var suspension: Suspension?
    /// Whether the provider is configured but has no valid access token now, as a workload before its first request, so
    /// that it is unknown whether its server issues one.
    public internal(set) var isOnlyConfigured = false
    /// Whether the chain may try the next provider although this one has an account, because its session is suspended
    /// and no access token of it works.
    var isReplaceable = false

    package init(provider: String, question: Question, outcome: Outcome, duration: Duration) {
        (self.provider, self.question, self.outcome, self.duration) = (provider, question, outcome, duration)
    }

    /// A question to a provider.
    public enum Question: String, Sendable, Codable {
        /// Looks up the signed-in account without showing anything.
        case silent
        /// Signs in, which may show something.
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
