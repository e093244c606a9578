/// Why a session of another library was not imported. The library's copy stays. Definitive, because another
/// attempt would find the same stored session.
package enum SessionImportError: StatedFailure, Equatable {
    /// The stored session has an unknown format, lacks the account or the tokens, or contains malformed values.
    case unreadable(source: String, detail: String)
    /// The format of the stored session is known, but not supported.
    case unsupported(source: String, detail: String)
    /// The stored session belongs to another server, client or type of provider than the configured one.
    case foreign(source: String, reason: String)
    /// A session of another configuration is already stored for the account.
    case occupied(AccountID)

    package var facts: FailureFacts {
        switch self {
        case .unreadable(let source, let detail):
            .definitive(
                "takeover_unreadable", "The session that \(source) has kept cannot be read: \(detail). Sign in again.")
        case .unsupported(let source, let detail):
            .definitive("takeover_unsupported", "The session that \(source) has kept cannot be taken over: \(detail).")
        case .foreign(let source, let reason):
            .definitive("takeover_foreign", "The session that \(source) has kept is not taken over. \(reason)")
        case .occupied(let account):
            .definitive(
                "takeover_occupied",
                "A session of another configuration is stored for this account with \(account.realm), so no other is taken over. "
                    + "Sign out there, and try again.")
        }
    }
}
