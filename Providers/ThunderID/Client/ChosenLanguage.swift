import IdentityKit

/// The language that the app chose after its start. A client that is initialized again keeps the choice.
final class ChosenLanguage: Sendable {
    private let chosen = Locked<String?>(nil)

    /// The language as a BCP 47 tag; `nil` to use the configured language.
    var tag: String? {
        get { chosen.withLock { $0 } }
        set { chosen.withLock { $0 = newValue } }
    }
}
