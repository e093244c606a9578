import Foundation
import IdentityKit

struct ThunderIDUser: Codable, Sendable {
    let id: String
    var type = PersonSchema.name
    var password: Secret
    var attributes: [String: JSONValue]
    var isActive = true
    /// The time of the last password change, in seconds since 1970. Refresh tokens issued up to this second are invalid.
    /// `nil` if the password was never changed.
    var credentialsChangedAt: Int64?

    var username: String { attributes["username"]?.stringValue ?? "" }
}

/// The schema of the user type `Person` (Backends/ThunderID.md#shipped-flows). The local server uses it for every other
/// user type of an application too.
enum PersonSchema {
    static let name = "Person"
    static let organizationUnitID = "01900000-0000-7000-8000-000000000001"
    static let required = ["username", "email"]
    static let unique = ["username", "email"]
    static let emailPattern = "^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$"
    /// The known attributes, with their labels for a user interface. The password is not among them.
    static let displayNames = [
        "username": "Username", "email": "Email", "given_name": "First Name", "family_name": "Last Name",
        "mobile_number": "Mobile Number", "sub": "Subject", "name": "Full Name", "picture": "Picture",
    ]
    static let attributes = Set(displayNames.keys)

    /// Whether the required attributes are present and not empty, all known attributes are strings, and the e-mail
    /// address is well-formed. Attributes with other names may have any value.
    static func accepts(_ sent: [String: JSONValue]) -> Bool {
        required.allSatisfy { sent[$0]?.stringValue?.isEmpty == false }
            && sent.allSatisfy { !attributes.contains($0.key) || $0.value.stringValue != nil }
            && sent["email"]?.stringValue?.range(of: emailPattern, options: .regularExpression) != nil
    }
}

final class ThunderIDUserDirectory: Sendable {
    private let users: Locked<[String: ThunderIDUser]>
    private let time: TimeSource

    private let configured: [LocalThunderIDServer.User]

    typealias Saved = SavedUsers<LocalThunderIDServer.User, ThunderIDUser>

    /// - Parameter saved: the users of an earlier run of the server; `nil` for none. A user whose configuration has changed
    ///   since then is reset, and a user who is no longer configured is removed.
    init(_ users: [LocalThunderIDServer.User], restoring saved: Saved? = nil, time: TimeSource) {
        self.time = time
        configured = users
        let records = saved.restored(for: users, id: \.id, savedID: \.id) { user in
            let attributes = user.attributes.merging(["username": .string(user.username)]) { $1 }
            return ThunderIDUser(id: user.id, password: user.password, attributes: attributes)
        }
        self.users = Locked(Dictionary(records.map { ($0.id, $0) }) { _, last in last })
    }

    /// Every user, active or not, sorted by user name.
    var all: [ThunderIDUser] { users.withLock { Array($0.values) }.sorted { $0.username < $1.username } }

    var saved: Saved { Saved(users: all, configured: configured) }

    func user(id: String) -> ThunderIDUser? { users.withLock { $0[id] } }

    func user(named username: String) -> ThunderIDUser? {
        users.withLock { $0.values.first { $0.username == username } }
    }

    func conflict(of attributes: [String: JSONValue], exceptUser id: String? = nil) -> String? {
        users.withLock { users in
            PersonSchema.unique.first { name in
                guard let value = attributes[name] else { return false }
                return users.values.contains { $0.id != id && $0.attributes[name] == value }
            }
        }
    }

    /// Adds a registered user and returns the new identifier.
    func add(type: String, attributes: [String: JSONValue], password: Secret) -> String {
        let id = LocalIdentifiers.uuid7(at: time.now)
        users.withLock { $0[id] = ThunderIDUser(id: id, type: type, password: password, attributes: attributes) }
        return id
    }

    func replaceAttributes(_ attributes: [String: JSONValue], ofUser id: String) {
        users.withLock { $0[id]?.attributes = attributes }
    }

    /// Changes the password, which invalidates earlier refresh tokens.
    func setPassword(_ password: Secret, ofUser id: String) {
        let now = Int64(time.now.timeIntervalSince1970)
        users.withLock {
            $0[id]?.password = password
            $0[id]?.credentialsChangedAt = now
        }
    }

    func setActive(_ isActive: Bool, ofUser id: String) { users.withLock { $0[id]?.isActive = isActive } }

    func remove(id: String) { users.withLock { $0[id] = nil } }
}
