/// A change of an account's session or of the active account, read from the store's records. Any program that shares
/// the store may have made the change.
package enum AccountChange: Sendable {
    case signedIn(AccountID)
    /// The account's session was stored again, such as after a refresh. `resource` is the only resource whose token is
    /// new; `nil` when there is no such resource, or more than one.
    case sessionStored(AccountID, resource: String? = nil)
    case sessionEnded(AccountID, reason: String)
    /// The account's record was erased, so the account has no session any more.
    case signedOut(AccountID)
    /// The given account has become the active account; `nil` when no account is active now.
    case selected(AccountID?)

    /// The details of the change, in the same form as those of an ``ObservedEvent``. ``EventDetails/name`` begins with
    /// `account.`.
    package var details: EventDetails {
        let (name, text) =
            switch self {
            case .signedIn(let account): ("signed_in", "\(account) is signed in")
            case .sessionStored(let account, let resource):
                (
                    "session_stored",
                    "the session of \(account) was stored\(resource.map { " for \($0.addressAlone)" } ?? "")"
                )
            case .sessionEnded(let account, let reason):
                (
                    "session_ended",
                    ScrubbedText.scrub(SessionError.ended(account, reason: reason).messageWithIdentifier)
                )
            case .signedOut(let account): ("signed_out", "\(account) is signed out")
            case .selected(let account): ("selected", account.map { "\($0) is active" } ?? "no account is active")
            }
        return EventDetails(
            name: "account.\(name)", level: .info, message: text,
            fields: EventField.naming(resource: resource, grant: nil) + EventField.naming(account),
            errorCode: errorCode)
    }

    private var account: AccountID? {
        switch self {
        case .signedIn(let account), .sessionStored(let account, _), .signedOut(let account): account
        case .sessionEnded(let account, _): account
        case .selected(let account): account
        }
    }

    private var resource: String? {
        if case .sessionStored(_, let resource) = self { resource } else { nil }
    }

    private var errorCode: String? {
        guard case .sessionEnded(let account, let reason) = self else { return nil }
        return SessionError.ended(account, reason: reason).failureCode
    }
}
