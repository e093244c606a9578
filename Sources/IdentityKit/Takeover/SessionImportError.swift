/// Why a session that another library has kept was not taken over. It stays where it is.
package enum SessionImportError: IdentityFailure, Equatable {
    /// The kept session is not in a known form.
    case unreadable(source: String, detail: String)
    /// The kept session is in a form that is known and not read here.
    case unsupported(source: String, detail: String)
    /// The kept session belongs to another server or client than the one that is configured.
    case foreign(source: String, reason: String)
    /// A session of another configuration is stored for the account.
    case occupied(AccountID)

    package var failureCode: String {
        switch self {
        case .unreadable: "takeover_unreadable"
        case .unsupported: "takeover_unsupported"
        case .foreign: "takeover_foreign"
        case .occupied: "takeover_occupied"
        }
    }

    /// Definitive: another attempt finds the same.
    package var failureClass: FailureClass { .definitive }

    package var message: String {
        switch self {
        case .unreadable(let source, let detail):
            "The session that \(source) has kept cannot be read: \(detail). Sign in again."
        case .unsupported(let source, let detail):
            "The session that \(source) has kept cannot be taken over: \(detail)."
        case .foreign(let source, let reason):
            "The session that \(source) has kept is not taken over. \(reason)"
        case .occupied(let account):
            "A session of another configuration is stored for this account with \(account.realm), so no other is taken over. "
                + "Sign out there, and try again."
        }
    }
}
