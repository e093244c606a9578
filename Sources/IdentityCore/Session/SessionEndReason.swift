/// Why a session has ended, in words for a person.
public struct SessionEndReason: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The reason, often a whole message.
    public let text: String

    public init(_ text: String) { self.text = text }

    /// Why a session has ended.
    public init(stringLiteral text: String) { self.init(text) }

    public var description: String { text }

    /// The end of `session`, as part of a sentence.
    package func clause(_ session: String) -> String { "\(session) has ended: \(trimmed)" }

    /// The end of `session`, and what to do.
    package func message(_ session: String) -> String {
        let isSentence = trimmed.last.map { ".!?".contains($0) } ?? true
        return "\(clause(session))\(isSentence ? "" : ".") Sign in again."
    }

    /// The reason without the request to sign in, which follows anyway.
    private var trimmed: String {
        let reason = text.withoutSignInRequest
        return reason.isEmpty ? "the server gave no reason" : reason
    }
}
