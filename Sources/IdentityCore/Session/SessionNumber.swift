/// Identifies one session of an account, from a sign-in to the next sign-in or to its end, across all refreshes.
///
/// An app that shows one person's session passes the number of that session when it writes data for that person. The
/// write fails when anybody, even the same person, has signed in again meanwhile.
public struct SessionNumber: Sendable, Hashable {
    package let account: AccountID
    /// The generation of the account's record after the sign-in wrote it. A store never uses the same generation for
    /// another sign-in of the account.
    package let number: UInt64

    package init(_ number: UInt64, of account: AccountID) {
        (self.number, self.account) = (number, account)
    }
}
