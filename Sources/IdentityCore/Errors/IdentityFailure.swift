import Foundation

/// The class of an error, which says what a caller should do.
public enum FailureClass: String, Sendable, Codable, CaseIterable {
    /// The provider is not configured, not installed or not supported here, but another provider may work.
    case unavailable
    /// A temporary failure: keep the account, use a token that is still valid, and try again later.
    case transient
    /// A lasting failure: let the user sign in again, or correct the setting.
    case definitive
}

/// An error with a stable code, a class, and a text that tells the user what to do.
///
/// Branch on ``failureCode`` or on the concrete type, never on the text. The text contains no token, no authorization code
/// and no URL query.
public protocol IdentityFailure: LocalizedError, Sendable {
    /// A stable code such as `connection_refused`, or the backend's own documented code.
    var failureCode: String { get }
    /// Class of the error, which decides whether a caller retries, lets the user sign in, or tries another provider.
    var failureClass: FailureClass { get }
    /// A sentence for a person: what happened and what to do.
    var message: String { get }
    /// Whether signing in would help, because a session is suspended, has ended, or was never there. Show a person as
    /// signed out only if this is `true`.
    var asksForSignIn: Bool { get }
}

extension IdentityFailure {
    public var asksForSignIn: Bool { false }

    public var errorDescription: String? { message }
}

extension Error {
    /// The class of any error: that of an ``IdentityFailure``, otherwise ``FailureClass/transient``, because an
    /// unclassified error is no reason to sign anybody out.
    public var identityFailureClass: FailureClass { (self as? any IdentityFailure)?.failureClass ?? .transient }

    /// Whether signing in would help: ``IdentityFailure/asksForSignIn``, or `false` if the error is no ``IdentityFailure``.
    public var asksForSignIn: Bool { (self as? any IdentityFailure)?.asksForSignIn ?? false }

    /// Text of any error for a person: the message of an ``IdentityFailure``, or a fixed text for a cancellation. For an error
    /// that is neither a `LocalizedError` nor the system's, this is the error's own description, if it has one. For every other
    /// error, this is the localized description.
    package var identityMessage: String {
        if let failure = self as? any IdentityFailure { return failure.message }
        if self is CancellationError { return "The operation was cancelled." }
        // Foundation's description of a system error is for developers, with domain and code.
        let isOfSystem = self is any CustomNSError || type(of: self) is NSError.Type
        // Cast through `Any`: a direct cast of an error may bridge it to a system error.
        guard !isOfSystem, !(self is any LocalizedError), let described = (self as Any) as? any CustomStringConvertible
        else { return localizedDescription }
        return described.description
    }
}
