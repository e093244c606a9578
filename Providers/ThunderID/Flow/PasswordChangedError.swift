import IdentityKit

/// A sign-in has ended without a session, because the person has set a new password after forgetting the old one. The
/// person can sign in with the new password now. Always definitive, because the same sign-in cannot continue.
public struct PasswordChangedError: StatedFailure, Equatable {
    public init() {}

    package var facts: FailureFacts { .definitive("password_changed", "The password is changed. Sign in.") }
}
