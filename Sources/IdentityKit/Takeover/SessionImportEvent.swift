/// The result of importing a session of another library, as observers receive it.
package struct SessionImportEvent: Sendable {
    package enum Kind: Sendable {
        /// The session was imported and is stored.
        case takenOver
        /// The session was not stored, because the store already has a session of the account.
        case alreadySignedIn
        /// The session was not stored, because the store records a sign-out of the account.
        case signedOut
        /// The library's copy could not be removed. The next import tries again.
        case notRemoved(any Error)
        /// Nothing was imported, and the library's copy stays.
        case failed(any Error)

        init(_ result: SessionImportResult) {
            self =
                switch result {
                case .takenOver: .takenOver
                case .alreadySignedIn, .ended: .alreadySignedIn
                case .signedOut: .signedOut
                }
        }
    }

    package let kind: Kind
    package let source: String
    /// The account that the session belongs to; `nil` for a failed import.
    package let account: AccountID?
}
