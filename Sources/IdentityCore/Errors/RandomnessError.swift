/// The source of random bytes failed, so the operation was not started.
public struct RandomnessError: IdentityFailure, Equatable {
    /// Creates the error.
    public init() {}
    /// `randomness_unavailable`
    public var failureCode: String { "randomness_unavailable" }
    /// Always transient.
    public var failureClass: FailureClass { .transient }
    /// What happened.
    public var message: String { "The system gave no random bytes, so the sign-in was not started. Try again." }
}
