import IdentityKit

/// A sign-in has ended without a session, because the person has set a new password after forgetting the old one. The
/// person can sign in with the new password now.
public struct PasswordChangedError: IdentityFailure, Equatable {
    public init() {}

    public var failureCode: String { "password_changed" }
    /// Always ``/IdentityCore/FailureClass/definitive``, because the same sign-in cannot continue.
    public var failureClass: FailureClass { .definitive }
    public var message: String { "The password is changed. Sign in." }
}
