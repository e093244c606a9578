import Foundation
import IdentityKit

/// Data about signed-in users that the client has fetched since their sign-in. The data is newer than the claims in their
/// tokens.
final class KnownProfiles: Sendable {
    private struct Entry: Sendable {
        let user: User
        let signedInAt: Date
    }

    private let entries = Locked<[AccountID: Entry]>([:])

    func note(_ user: User, of account: AccountID, session credential: Credential) {
        entries.withLock { $0[account] = Entry(user: user, signedInAt: credential.signedInAt) }
    }

    /// Returns the data of a session's user; `nil` if the client has fetched none since the sign-in of this session.
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
