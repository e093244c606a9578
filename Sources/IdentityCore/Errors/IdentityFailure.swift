import Foundation

/// The class of an error, which says what a caller should do.
public enum FailureClass: String, Sendable, Codable, CaseIterable {
    /// The provider does not work here, but another may: it is not configured, not installed or not supported.
    case unavailable
    /// Trying again may work later: keep the account, use a token that is still valid, try again.
    case transient
    /// Trying again will not work: let the user sign in again or correct the setting.
    case definitive
}

/// An error with a stable code, a class, and a text that tells the user what to do.
///
/// Branch on ``failureCode`` or on the concrete type, never on the text. The text contains no token, no authorization code
/// and no URL query.
public protocol IdentityFailure: LocalizedError, Sendable {
    /// A stable code such as `connection_refused`, or the backend's own documented code.
    var failureCode: String { get }
    /// The reaction that the error calls for.
    var failureClass: FailureClass { get }
    /// A sentence for a person: what happened and what to do.
    var message: String { get }
    /// Whether a sign-in is what helps, because a session is suspended, has ended, or was never there. Show a person as
    /// signed out by this alone.
    var asksForSignIn: Bool { get }
}

extension IdentityFailure {
    /// No sign-in helps by default.
    public var asksForSignIn: Bool { false }

    public var errorDescription: String? { message }
}

extension Error {
    /// The class of any error: that of an ``IdentityFailure``, otherwise ``FailureClass/transient``, because an error that
    /// nobody classified is no reason to sign anybody out.
    public var identityFailureClass: FailureClass { (self as? any IdentityFailure)?.failureClass ?? .transient }

    /// Whether a sign-in is what helps: ``IdentityFailure/asksForSignIn``, and `false` for every other error.
    public var asksForSignIn: Bool { (self as? any IdentityFailure)?.asksForSignIn ?? false }

    /// The text to show for any error.
    package var identityMessage: String {
        if let failure = self as? any IdentityFailure { return failure.message }
        if self is CancellationError { return "The operation was cancelled." }
        // Errors of the system describe themselves to developers, with domain and code.
        let isOfSystem = self is any CustomNSError || type(of: self) is NSError.Type
        // Cast as any value is: as an error it could become one of the system.
        guard !isOfSystem, !(self is any LocalizedError), let described = (self as Any) as? any CustomStringConvertible
        else { return localizedDescription }
        return described.description
    }
}
