extension AbsenceReason {
    /// The error for a call that needs an account: a ``/IdentityCore/SessionError`` if the session of the active account has
    /// ended or belongs to another configuration, a ``NothingConfiguredError`` if every provider lacks a setting, and
    /// ``ClientError/notSignedIn(_:)`` for any other reason.
    package var error: any IdentityFailure {
        sessionError ?? gaps.map(NothingConfiguredError.init) ?? ClientError.notSignedIn(description)
    }

    /// The settings that the providers lack; `nil` unless every provider lacks one. Providers that an override excludes
    /// are ignored.
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
