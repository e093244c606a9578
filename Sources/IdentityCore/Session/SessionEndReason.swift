/// Why there is no session, or none that can be used here, in words for a person.
public struct SessionEndReason: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The reason, often a whole message.
    public let text: String
    /// Whether the session has not ended, but belongs to another configuration, for which it is kept.
    public let isKept: Bool

    /// A reason.
    public init(_ text: String, isKept: Bool = false) {
        self.text = text
        self.isKept = isKept
    }

    /// Why a session has ended.
    public init(stringLiteral text: String) { self.init(text) }

    /// The ``text``.
    public var description: String { text }

    /// The state of `session`, as part of a sentence.
    package func clause(_ session: String) -> String { "\(session) \(predicate): \(trimmed)" }

    /// The state of `session`, and what to do.
    package func message(_ session: String) -> String {
        let isSentence = trimmed.last.map { ".!?".contains($0) } ?? true
        return "\(clause(session))\(isSentence ? "" : ".") \(isKept ? "Signing in replaces it." : "Sign in again.")"
    }

    private var predicate: String { isKept ? "cannot be used here" : "has ended" }

    /// The reason without the request to sign in, which follows anyway.
    private var trimmed: String {
        let reason = text.withoutSignInRequest
        return reason.isEmpty ? "the server gave no reason" : reason
    }
}
