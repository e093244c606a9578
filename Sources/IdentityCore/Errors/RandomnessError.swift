/// The source of random bytes failed, so the operation was not started.
package struct RandomnessError: IdentityFailure, Equatable {
    package init() {}
    package var failureCode: String { "randomness_unavailable" }
    package var failureClass: FailureClass { .transient }
    package var message: String { "The system gave no random bytes, so the operation was not started. Try again." }
}
