import Foundation
import IdentityKit

/// The server's answers about signed-in users since they signed in: newer than their tokens.
final class KnownProfiles: Sendable {
    private struct Entry: Sendable {
        let user: User
        let signedInAt: Date
    }

    private let entries = Locked<[AccountID: Entry]>([:])

    func note(_ user: User, of account: AccountID, session credential: Credential) {
        entries.withLock { $0[account] = Entry(user: user, signedInAt: credential.signedInAt) }
    }

    /// The known facts about the user of a session, and of no other one under the same name.
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
