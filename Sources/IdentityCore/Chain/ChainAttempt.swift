/// A chain's attempt to get an account from one provider.
public struct ChainAttempt: Sendable {
    public let provider: String
    /// The kind of attempt: silent, or one that may show a sign-in.
    public let question: Question
    public let outcome: Outcome
    /// Time from the chain's call to the provider's answer; zero for a provider that an override excludes.
    public let duration: Duration
    /// The account that the found account replaces, and the reason; `nil` when the found account is no fallback.
    public var fallback: SessionFallback?
    /// Why the account's session is suspended; `nil` when it is not.
    public var suspension: Suspension?
    /// Whether the found account belongs to a workload, which gets tokens without a person, and the workload has no valid
    /// access token now, such as before its first request. It is then unknown whether its server would issue a token.
    package internal(set) var isOnlyConfigured = false
    /// Whether the chain tries the next provider although this provider has an account: the account's session is
    /// suspended, and it has no working access token.
    var isReplaceable = false

    package init(provider: String, question: Question, outcome: Outcome, duration: Duration) {
        (self.provider, self.question, self.outcome, self.duration) = (provider, question, outcome, duration)
    }

    /// The kind of call that a chain makes to a provider.
    public enum Question: String, Sendable, Codable {
        /// Looks up the signed-in account without showing anything.
        case silent
        /// Signs in, which may show something.
        case interactive
    }

    /// The provider's answer, which decides whether the chain tries the next provider.
    public enum Outcome: Sendable {
        /// The provider has this account. Usually the chain then tries no other provider. With ``SessionEndPolicy/fallBack``,
        /// it tries the next one if the account's session is suspended and has no working access token.
        case account(AccountID)
        /// The provider has no account, for this reason. The chain tries the next provider, unless it waits for the
        /// user's decision about a session that cannot be used; see ``SessionEndPolicy/ask``.
        case absent(AbsenceReason)
        /// The provider failed, and the chain tries the next provider. If no provider has an account, the chain throws
        /// a ``ChainError`` with the first error that it skipped in this way.
        case passedOver(any Error)
        /// The provider failed. The chain tries no other provider, because a wrong account is worse than none.
        case failed(any Error)
    }

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
    /// The provider and its outcome in a few words, without tokens, authorization codes and URL queries.
    public var description: String { "\(provider): \(outcomeText)" }
}

extension Collection<ChainAttempt> {
    /// A clause for messages. Each distinct outcome occurs once, after the names of the providers with this outcome.
    var summary: String {
        var (texts, providers): ([String], [String: [String]]) = ([], [:])
        var told: Set<[String]> = []
        for attempt in self {
            let text = attempt.outcomeText
            guard told.insert([text, attempt.provider]).inserted else { continue }
            if providers[text] == nil { texts.append(text) }
            providers[text, default: []].append(attempt.provider)
        }
        return texts.map { "\((providers[$0] ?? []).joined(separator: ", ")): \($0.withoutFinalPeriod)" }
            .joined(separator: "; ")
    }
}
