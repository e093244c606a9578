import IdentityKit

/// A sign-in by "I forgot my password" ended with a new password and without a session. The person can sign in now.
public struct PasswordChangedError: IdentityFailure, Equatable {
    public init() {}

    public var failureCode: String { "password_changed" }
    /// Always ``/IdentityCore/FailureClass/definitive``: the same sign-in does not continue.
    public var failureClass: FailureClass { .definitive }
    public var message: String { "The password is changed. Sign in." }
}
