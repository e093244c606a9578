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
    /// Whom the account stands in for, when it is the active one only because another session has ended.
    public var fallback: SessionFallback?

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
        /// It failed in a way that the chain was told to pass over. The next provider is asked, and the failure is not
        /// forgotten: without an account elsewhere it is the walk's error.
        case passedOver(any Error)
        /// It failed. The walk ends: a wrong identity is worse than no identity.
        case failed(any Error)
    }

    /// Provider and outcome in a few words, without the duration, tokens, codes or URL queries.
    public var summary: String { "\(provider): \(answer)" }

    /// What came of it, in a few words.
    var answer: String {
        switch outcome {
        case .account(let account): "signed in as \(account)" + (fallback.map { ", \($0)" } ?? "")
        case .none(let reason): "\(reason)"
        case .passedOver(let error): "\(error.scrubbedMessage) (passed over)"
        case .failed(let error): error.scrubbedMessage
        }
    }

    /// The error that made the chain pass over the provider.
    var passedOverError: (any Error)? {
        if case .passedOver(let error) = outcome { error } else { nil }
    }
}

extension ChainAttempt: CustomStringConvertible {
    /// The ``summary`` with pass and duration, for logs.
    public var description: String { "\(summary) [\(pass.rawValue), \(duration.formattedSeconds)]" }
}

extension Collection<ChainAttempt> {
    /// What came of all attempts as part of a sentence: providers with the same answer together, and no answer twice.
    var summary: String {
        var answers: [(answer: String, providers: [String])] = []
        for attempt in self {
            let answer = attempt.answer
            guard let index = answers.firstIndex(where: { $0.answer == answer }) else {
                answers.append((answer, [attempt.provider]))
                continue
            }
            if !answers[index].providers.contains(attempt.provider) {
                answers[index].providers.append(attempt.provider)
            }
        }
        return answers.map { answer, providers in
            "\(providers.joined(separator: ", ")): \(answer.withoutFinalPeriod)"
        }.joined(separator: "; ")
    }
}
