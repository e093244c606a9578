import IdentityKit

extension SessionReport {
    /// What a person is told; `nil` for what is nothing to worry about, unless everything is to be shown.
    func line(isVerbose: Bool) -> String? {
        switch self {
        case .notRevoked(let account, let reason):
            "The backend of \(account) could not be told: its tokens work there until they expire. "
                + reason.identityMessage
        case .notStored(let account, let reason):
            "The renewed session of \(account) could not be stored: \(reason.identityMessage)"
        case .misconfigured(let account, let reason):
            "The session of \(account) could not be renewed: \(reason.identityMessage)"
        case .postponed(let account, let reason) where isVerbose:
            "The session of \(account) is renewed later: \(reason.identityMessage)"
        case .droppedIDToken(let account, let reason) where isVerbose:
            "The new ID token of \(account) was dropped: \(reason.identityMessage)"
        case .renewed(let account) where isVerbose: "The session of \(account) was renewed."
        case .stored(let account) where isVerbose: "The session of \(account) is stored now."
        case .postponed, .droppedIDToken, .renewed, .stored: nil
        }
    }
}
