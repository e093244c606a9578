/// The source of random bytes failed, so the operation was not started.
public struct RandomnessError: IdentityFailure, Equatable {
    public init() {}
    public var failureCode: String { "randomness_unavailable" }
    public var failureClass: FailureClass { .transient }
    public var message: String { "The system gave no random bytes, so the operation was not started. Try again." }
}
