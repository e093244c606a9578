import Foundation

/// What a caller should do about a failure. Every error of this framework belongs to one of three classes.
public enum FailureClass: String, Sendable, Codable, CaseIterable {
    /// This provider cannot serve here, and another may: not configured, not installed, not supported.
    case unavailable
    /// It may work later: keep the account, use the token that is still valid, try again.
    case transient
    /// It will not work again by itself: stop, and let the person sign in again or mend the setting.
    case definitive
}

/// An error with a stable code, a class, and a text that tells a person what to do.
///
/// Branch on ``failureCode`` or on the concrete type, never on the text. The text carries no token, no authorization code and
/// no URL query.
public protocol IdentityFailure: LocalizedError, Sendable {
    /// A stable code such as `connection_refused`; where a backend documents codes of its own, that one.
    var failureCode: String { get }
    /// What a caller should do about it.
    var failureClass: FailureClass { get }
    /// One sentence: what happened and what to do.
    var message: String { get }
}

extension IdentityFailure {
    /// ``message``, for `localizedDescription`.
    public var errorDescription: String? { message }
}

extension Error {
    /// The class of any error: its own when it is an ``IdentityFailure``; a cancelled task may be tried again, and an
    /// error nobody classified must not be papered over.
    public var identityFailureClass: FailureClass {
        if let failure = self as? any IdentityFailure { return failure.failureClass }
        return self is CancellationError ? .transient : .definitive
    }

    /// The text to show for any error.
    package var identityMessage: String {
        if let failure = self as? any IdentityFailure { return failure.message }
        return self is CancellationError ? "The operation was cancelled." : localizedDescription
    }
}
