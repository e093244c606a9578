/// The code, the class and the message of an error, and whether it asks for a sign-in.
package struct FailureFacts {
    package let code: String
    package let failureClass: FailureClass
    package let message: String
    package let asksForSignIn: Bool

    package init(_ code: String, _ failureClass: FailureClass, _ message: String, asksForSignIn: Bool = false) {
        (self.code, self.failureClass) = (code, failureClass)
        (self.message, self.asksForSignIn) = (message, asksForSignIn)
    }

    package static func unavailable(_ code: String, _ message: String) -> Self { Self(code, .unavailable, message) }

    package static func transient(_ code: String, _ message: String) -> Self { Self(code, .transient, message) }

    package static func definitive(_ code: String, _ message: String, asksForSignIn: Bool = false) -> Self {
        Self(code, .definitive, message, asksForSignIn: asksForSignIn)
    }

    /// Returns these facts with the message that `reword` makes from the current message.
    package func rewording(_ reword: (String) -> String) -> Self {
        Self(code, failureClass, reword(message), asksForSignIn: asksForSignIn)
    }
}

/// An error of this package that implements all requirements of ``IdentityFailure`` with the single property `facts`.
package protocol StatedFailure: IdentityFailure {
    /// The facts of this error. Each access builds the message again, so the message of a frequent error must be cheap.
    var facts: FailureFacts { get }
}

extension StatedFailure {
    public var failureCode: String { facts.code }
    public var failureClass: FailureClass { facts.failureClass }
    public var message: String { facts.message }
    public var asksForSignIn: Bool { facts.asksForSignIn }
}
