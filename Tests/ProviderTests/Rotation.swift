import IdentityKit

/// What a local server does with a refresh token that was used.
enum Rotation: String, CaseIterable, Sendable {
    /// It is spent, and a second use ends the session.
    case strict
    /// It is spent, and taken again for half a minute.
    case window
    /// It stays as it is.
    case off

    /// How long a spent token is taken again.
    var grace: Duration { self == .window ? .seconds(30) : .zero }

    /// The policy of a client that knows it.
    var replay: ReplayPolicy {
        switch self {
        case .strict: .never
        case .window: .window(grace)
        case .off: .always
        }
    }
}
