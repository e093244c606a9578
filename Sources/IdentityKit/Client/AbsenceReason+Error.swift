extension AbsenceReason {
    /// The error for a call that needs an account. This is the ``/IdentityCore/SessionError`` of the active account, if there
    /// is one, or a ``NothingConfiguredError`` if every provider lacks a setting. For any other reason, it is
    /// ``ClientError/notSignedIn(_:)``.
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
