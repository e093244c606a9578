/// What a chain does when the session of the chosen account has ended.
public enum SessionEndPolicy: String, Sendable, Codable, CaseIterable {
    /// The chain says whose session has ended, in every process and after every restart, until the app or the person
    /// decides: by signing in, selecting another account, or signing out of the ended one. Nobody becomes another person
    /// without noticing.
    case ask
    /// The next provider is asked, and every answer says for whom it stands in: for programs without a person.
    case fallBack
}

/// An account is active only because the session of another one has ended.
public struct SessionFallback: Sendable, Codable, Hashable {
    /// The account that somebody decided for.
    public let from: AccountID
    /// Why its session has ended.
    public let reason: String

    /// A fallback.
    public init(from: AccountID, reason: String) {
        self.from = from
        self.reason = reason
    }
}

extension SessionFallback: CustomStringConvertible {
    /// The fallback as part of a sentence.
    public var description: String {
        "instead of \(from), whose session \(SessionEnd.predicate(reason)): \(SessionEnd.trimmed(reason))"
    }
}

/// The end of a session in words. A reason is often a whole message, with the remedy that follows anyway.
///
/// The session of another configuration is absent in the same way, and has not ended: it is kept (``SessionOrigin``).
package enum SessionEnd {
    /// That the session of `account` has ended, as part of a sentence.
    static func clause(_ account: AccountID, _ reason: String) -> String {
        clause("the session of \(account)", reason)
    }

    /// That `session` has ended, as part of a sentence.
    static func clause(_ session: String, _ reason: String) -> String {
        "\(session) \(predicate(reason)): \(trimmed(reason))"
    }

    /// That `session` has ended, and what to do.
    package static func message(_ session: String, _ reason: String) -> String {
        let remedy = isKept(reason) ? "Signing in replaces it." : "Sign in again."
        return "\(session) \(predicate(reason)): \(sentence(reason)) \(remedy)"
    }

    /// What has become of a session, for this reason.
    static func predicate(_ reason: String) -> String { isKept(reason) ? "cannot be used here" : "has ended" }

    private static func isKept(_ reason: String) -> Bool { reason.hasSuffix(SessionOrigin.keptNote) }

    /// `reason` as a sentence that a remedy can follow.
    static func sentence(_ reason: String) -> String {
        let reason = trimmed(reason)
        return reason.last.map { ".!?".contains($0) } ?? true ? reason : reason + "."
    }

    /// `reason` without the remedy.
    static func trimmed(_ reason: String) -> String {
        let reason = reason.withoutSignInRequest
        return reason.isEmpty ? "the server gave no reason" : reason
    }
}
