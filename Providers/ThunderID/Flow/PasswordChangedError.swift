import IdentityKit

/// A sign-in ended with a new password, after "I forgot my password", and without a session. The person can sign in now.
public struct PasswordChangedError: IdentityFailure, Equatable {
    public init() {}

    public var failureCode: String { "password_changed" }
    /// Always ``/IdentityCore/FailureClass/definitive``, because the same sign-in cannot continue.
    public var failureClass: FailureClass { .definitive }
    public var message: String { "The password is changed. Sign in." }
}
