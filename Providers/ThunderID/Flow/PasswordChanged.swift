import IdentityKit

/// A sign-in by "I forgot my password" ended with a new password, and with nobody signed in (contract 1.9 and 1.10): what
/// the person wanted is done, and the next thing is to sign in.
public struct PasswordChanged: IdentityFailure, Equatable {
    /// It happened.
    public init() {}

    /// Stable code.
    public var failureCode: String { "password_changed" }
    /// Always ``/IdentityKit/FailureClass/definitive``: the same sign-in does not go on.
    public var failureClass: FailureClass { .definitive }
    /// What to do.
    public var message: String { "The password is changed. Sign in." }
}
