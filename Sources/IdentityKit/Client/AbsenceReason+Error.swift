extension AbsenceReason {
    /// The error to throw to a call that needs an account.
    package var error: any IdentityFailure {
        sessionError ?? gaps.map(NothingConfiguredError.init) ?? ClientError.notSignedIn(description)
    }

    /// The settings that each provider lacks, when none can be used for lack of them; otherwise `nil`.
    private var gaps: String? {
        switch self {
        case .notConfigured(let gap): return gap
        case .chain(let attempts):
            var found: [String] = []
            for attempt in attempts {
                guard case .absent(let reason) = attempt.outcome else { return nil }
                if case .excluded = reason { continue }
                guard let gap = reason.gaps else { return nil }
                let text = "\(attempt.provider): \(gap)"
                if !found.contains(text) { found.append(text) }
            }
            return found.isEmpty ? nil : found.joined(separator: "; ")
        default: return nil
        }
    }
}
