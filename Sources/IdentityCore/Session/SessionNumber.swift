/// Identifies one session of an account, from a sign-in to the next sign-in or to its end, across all refreshes.
///
/// A write for the person on a screen carries the session that the screen shows, so that it fails when another person,
/// or the same one anew, has signed in meanwhile.
public struct SessionNumber: Sendable, Hashable {
    public let account: AccountID
    /// The generation of the account's record that the sign-in wrote. A store never gives it to another sign-in of the
    /// account.
    package let number: UInt64

    package init(_ number: UInt64, of account: AccountID) {
        (self.number, self.account) = (number, account)
    }
}
