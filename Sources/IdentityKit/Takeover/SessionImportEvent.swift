/// The result of taking over a session that another library has kept, for the observers of an environment.
package struct SessionImportEvent: Sendable {
    /// Fate of a session that another library kept.
    package enum Kind: Sendable {
        /// The session is stored here now.
        case takenOver
        /// A session that is here already was kept.
        case alreadySignedIn
        /// Somebody has signed out here, so the session was dropped.
        case signedOut
        /// The library's copy could not be removed. The next takeover tries again.
        case notRemoved(any Error)
        /// Nothing was taken over, and what the library has kept stays where it is.
        case failed(any Error)

        init(_ outcome: SessionImportResult.Outcome) {
            self =
                switch outcome {
                case .takenOver: .takenOver
                case .alreadySignedIn, .ended: .alreadySignedIn
                case .signedOut: .signedOut
                }
        }
    }

    package let kind: Kind
    package let source: String
    /// The account; `nil` where it is not known.
    package let account: AccountID?
}
