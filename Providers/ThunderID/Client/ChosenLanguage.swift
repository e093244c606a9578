import IdentityKit

/// The language that was chosen while the app runs. It outlives a change of the server.
final class ChosenLanguage: Sendable {
    private let chosen = Locked<String?>(nil)

    /// A BCP 47 tag; `nil` for that of the configuration.
    var tag: String? {
        get { chosen.withLock { $0 } }
        set { chosen.withLock { $0 = newValue } }
    }
}
