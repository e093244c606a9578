/// The reason why a session has ended, in words for a person.
public struct SessionEndReason: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The reason as its creator wrote it. The text is often a whole message that ends with a request to sign in.
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

    /// The reason without a closing request to sign in, because messages add one. If nothing else is left, the text is
    /// "the server gave no reason".
    private var trimmed: String {
        let reason = text.withoutSignInRequest
        return reason.isEmpty ? "the server gave no reason" : reason
    }
}
