/// A write for the person on a screen is refused: the session that the screen shows is not the current one any more.
package struct SessionChangedError: IdentityFailure, Equatable {
    /// The session that was shown.
    package let shown: SessionNumber

    package init(_ shown: SessionNumber) { self.shown = shown }

    package var failureCode: String { "session_changed" }

    package var message: String {
        "The session that is shown is over or was replaced, and nothing was changed. Look who is signed in, and try again."
    }

    /// Repeating the call does not help.
    package var failureClass: FailureClass { .definitive }
}
