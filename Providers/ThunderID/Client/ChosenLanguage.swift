import IdentityKit

/// The language chosen while the app runs. It is kept when the client is initialized again.
final class ChosenLanguage: Sendable {
    private let chosen = Locked<String?>(nil)

    /// The language as a BCP 47 tag; `nil` for the configured one.
    var tag: String? {
        get { chosen.withLock { $0 } }
        set { chosen.withLock { $0 = newValue } }
    }
}
