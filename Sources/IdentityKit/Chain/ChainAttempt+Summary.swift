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
