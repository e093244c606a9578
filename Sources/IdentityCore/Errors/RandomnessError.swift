/// The source of random bytes failed, so the operation was not started.
package struct RandomnessError: StatedFailure, Equatable {
    package init() {}

    package var facts: FailureFacts {
        .transient(
            "randomness_unavailable",
            "The system gave no random bytes, so the operation was not started. Try again.")
    }
}
