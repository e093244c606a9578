import IdentityKit

/// The users of the server: the configured users, with the changes made while the server ran.
final class OpenIDUserDirectory: Sendable {
    struct Record: Codable, Sendable {
        var user: LocalOpenIDConnectServer.User
        var isActive = true
    }

    typealias Saved = SavedUsers<LocalOpenIDConnectServer.User, Record>

    private let users: Locked<[Record]>
    private let configured: [LocalOpenIDConnectServer.User]

    /// - Parameter saved: the users of an earlier run of the server; `nil` for none. A user whose configuration has
    ///   changed since then is reset, and a user who is no longer configured is removed.
    init(_ configured: [LocalOpenIDConnectServer.User], restoring saved: Saved? = nil) {
        self.configured = configured
        users = Locked(saved.restored(for: configured, id: \.id, savedID: \.user.id) { Record(user: $0) })
    }

    var saved: Saved { Saved(users: all, configured: configured) }

    /// All users, in the order in which they were added. A new server adds the configured users in the order of the
    /// configuration. A user whom a restart resets moves to the end.
    var all: [Record] { users.withLock { $0 } }

    func user(_ id: String) -> LocalOpenIDConnectServer.User? { all.first { $0.user.id == id }?.user }

    /// Returns the user with these credentials; `nil` for wrong credentials or a disabled user.
    func user(named username: String, password: Secret) -> LocalOpenIDConnectServer.User? {
        all.first { $0.isActive && $0.user.username == username && $0.user.password == password }?.user
    }

    /// Adds a user, or replaces the user with the same identifier.
    /// - Returns: false, without a change, if another user already has the user name.
    func put(_ record: Record) -> Bool {
        users.withLock { users in
            let others = users.filter { $0.user.id != record.user.id }
            guard !others.contains(where: { $0.user.username == record.user.username }) else { return false }
            if let index = users.firstIndex(where: { $0.user.id == record.user.id }) {
                users[index] = record
            } else {
                users.append(record)
            }
            return true
        }
    }

    func remove(_ id: String) { users.withLock { $0.removeAll { $0.user.id == id } } }
}
