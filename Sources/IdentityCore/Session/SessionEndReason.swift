/// The reason why a session has ended, in words for a person.
public struct SessionEndReason: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The text as it was given; often a whole message.
    public let text: String

    public init(_ text: String) { self.text = text }

    public init(stringLiteral text: String) { self.init(text) }

    public var description: String { text }

    /// A clause that says that `session` has ended and why.
    package func clause(_ session: String) -> String { "\(session) has ended: \(trimmed)" }

    /// A message that says that `session` has ended, why, and what to do.
    package func message(_ session: String) -> String {
        let isSentence = trimmed.last.map { ".!?".contains($0) } ?? true
        return "\(clause(session))\(isSentence ? "" : ".") Sign in again."
    }

    /// The reason without a closing request to sign in, because messages add one.
    private var trimmed: String {
        let reason = text.withoutSignInRequest
        return reason.isEmpty ? "the server gave no reason" : reason
    }
}
