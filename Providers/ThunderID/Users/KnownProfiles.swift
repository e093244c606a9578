import Foundation
import IdentityKit

/// Data about signed-in users that was fetched from the server since their sign-in, and is newer than their tokens.
final class KnownProfiles: Sendable {
    private struct Entry: Sendable {
        let user: User
        let signedInAt: Date
    }

    private let entries = Locked<[AccountID: Entry]>([:])

    func note(_ user: User, of account: AccountID, session credential: Credential) {
        entries.withLock { $0[account] = Entry(user: user, signedInAt: credential.signedInAt) }
    }

    /// The known data of a session's user, but not of an earlier session with the same account.
    func user(of account: AccountID, session credential: Credential) -> User? {
        entries.withLock { entries in
            guard let entry = entries[account], entry.signedInAt == credential.signedInAt else { return nil }
            return entry.user
        }
    }

    func forget(_ account: AccountID) {
        _ = entries.withLock { $0.removeValue(forKey: account) }
    }
}
