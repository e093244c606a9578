import IdentityKit

extension SessionReport {
    /// Returns the line to print; `nil` if the report is only for `--verbose` and `isVerbose` is `false`.
    func line(isVerbose: Bool) -> String? {
        switch self {
        case .revocationPostponed(let account, let reason):
            "The session of \(account) is over here, and its backend is told later, for a day: \(reason.identityMessage)"
        case .notRevoked(let account, let reason):
            "The session of \(account) could not be ended at its backend: its tokens work there until they expire. "
                + reason.identityMessage
        case .notStored(let account, let reason):
            "The refreshed session of \(account) could not be stored: \(reason.identityMessage)"
        case .misconfigured(let account, let reason):
            "The session of \(account) could not be refreshed: \(reason.identityMessage)"
        case .suspended(let account, let suspension): SessionError.suspended(account, suspension).messageWithIdentifier
        case .resumed(let account): "The session of \(account) no longer needs a sign-in."
        case .postponed(let account, let reason, let resource, _) where isVerbose:
            "The session of \(account) is refreshed later\(Self.purpose(resource)): \(reason.identityMessage)"
        case .droppedIDToken(let account, let reason) where isVerbose:
            "The new ID token of \(account) was dropped: \(reason.identityMessage)"
        case .tolerated(let account, let faults) where isVerbose:
            "The session of \(account) was refreshed by an odd response: \(faults.joined(separator: ", "))."
        case .refreshed(let account, let resource, _) where isVerbose:
            "The session of \(account) was refreshed\(Self.purpose(resource))."
        case .stored(let account) where isVerbose: "The session of \(account) is stored now."
        case .postponed, .droppedIDToken, .tolerated, .refreshed, .stored: nil
        }
    }

    private static func purpose(_ resource: String?) -> String { resource.map { " for \($0.addressAlone)" } ?? "" }
}
