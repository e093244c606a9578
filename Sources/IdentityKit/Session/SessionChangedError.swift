/// An action, such as a change of the person's profile, was refused, because the session that the screen shows is no longer
/// the current session of its account. The error is definitive, because repeating the call does not help.
package struct SessionChangedError: StatedFailure, Equatable {
    package let shown: SessionNumber

    package init(_ shown: SessionNumber) { self.shown = shown }

    package var facts: FailureFacts {
        .definitive(
            "session_changed",
            "The session that is shown is over or was replaced, and nothing was changed. Look who is signed in, and try again."
        )
    }
}
