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

    /// Returns these facts with another message, which `reword` makes of this one.
    package func rewording(_ reword: (String) -> String) -> Self {
        Self(code, failureClass, reword(message), asksForSignIn: asksForSignIn)
    }
}

/// An error of this package that states in one place, case by case, what ``IdentityFailure`` asks for.
package protocol StatedFailure: IdentityFailure {
    /// The facts of this error. Each access makes the message anew, so errors on frequent paths keep it cheap.
    var facts: FailureFacts { get }
}

extension StatedFailure {
    public var failureCode: String { facts.code }
    public var failureClass: FailureClass { facts.failureClass }
    public var message: String { facts.message }
    public var asksForSignIn: Bool { facts.asksForSignIn }
}
