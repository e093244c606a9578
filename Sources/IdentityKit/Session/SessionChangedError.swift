/// A write for the person on a screen is refused: the session that the screen shows is not the current one any more.
public struct SessionChangedError: IdentityFailure, Equatable {
    /// The session that was shown.
    public let shown: SessionNumber

    public init(_ shown: SessionNumber) { self.shown = shown }

    public var failureCode: String { "session_changed" }

    public var message: String {
        "The session that is shown is over or was replaced, and nothing was changed. Look who is signed in, and try again."
    }

    /// Repeating the call does not help.
    public var failureClass: FailureClass { .definitive }
}
