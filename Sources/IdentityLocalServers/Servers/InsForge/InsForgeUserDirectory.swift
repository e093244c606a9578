import Foundation
import IdentityKit

/// The project's users, oldest first. Every change is atomic.
final class InsForgeUserDirectory: Sendable {
    private let users: Locked<[InsForgeUser]>

    private let configured: [LocalInsForgeServer.User]

    typealias Saved = SavedUsers<LocalInsForgeServer.User, InsForgeUser>

    /// - Parameters:
    ///   - configured: the users of the configuration.
    ///   - saved: the users of an earlier run of the server; `nil` for none. A user whose configuration has changed
    ///     since then is reset, and a user who is no longer configured is removed.
    ///   - date: the time of creation for new users.
    init(_ configured: [LocalInsForgeServer.User], restoring saved: Saved? = nil, at date: Date) {
        self.configured = configured
        users = Locked(
            saved.restored(for: configured, id: \.id, savedID: \.id) { InsForgeUser(seeded: $0, at: date) })
    }

    var all: [InsForgeUser] { users.withLock { $0 } }

    var saved: Saved { Saved(users: all, configured: configured) }

    func user(id: String) -> InsForgeUser? { users.withLock { $0.first { $0.id == id } } }

    func user(email: String) -> InsForgeUser? { users.withLock { $0.first { $0.email == email } } }

    /// - Throws: `AUTH_EMAIL_EXISTS` if a user has the address already.
    func insert(_ user: InsForgeUser) throws {
        try users.withLock { users in
            guard !users.contains(where: { $0.email == user.email }) else {
                throw InsForgeServerError(409, "AUTH_EMAIL_EXISTS", "User already exists")
            }
            users.append(user)
        }
    }

    /// Changes a user and returns the result; `nil` when there is no such user.
    /// - Parameter date: the new time of the user's last update.
    func update(id: String, at date: Date, _ change: (inout InsForgeUser) -> Void) -> InsForgeUser? {
        users.withLock { users in
            guard let index = users.firstIndex(where: { $0.id == id }) else { return nil }
            change(&users[index])
            users[index].updatedAt = date
            return users[index]
        }
    }

    func remove(id: String) { users.withLock { $0.removeAll { $0.id == id } } }

    /// Returns whether any user is linked to the account `identity` at the provider, whatever the user's e-mail address is.
    func isLinked(_ identity: LocalInsForgeServer.ProviderIdentity, at provider: String) -> Bool {
        let account = InsForgeUser.LinkedAccount(provider: provider, subject: identity.subject)
        return users.withLock { $0.contains { $0.linkedAccounts.contains(account) } }
    }

    /// Returns whether any user is linked to the account `identity` at the provider, or has the account's e-mail address.
    func knows(_ identity: LocalInsForgeServer.ProviderIdentity, at provider: String) -> Bool {
        isLinked(identity, at: provider)
            || users.withLock { $0.contains { $0.email.caseInsensitiveCompare(identity.email) == .orderedSame } }
    }

    /// Returns the user for an OAuth sign-in: the user linked to the account `identity` at the provider, else the
    /// oldest user with the account's e-mail address, else a new user. The user is then linked to the account, and the
    /// user's address counts as verified.
    /// - Throws: `AUTH_SIGNUP_DISABLED` if a new user is needed and `allowsSignUp` is false.
    func resolve(
        _ identity: LocalInsForgeServer.ProviderIdentity, at provider: String, allowsSignUp: Bool, date: Date
    ) throws -> InsForgeUser {
        let account = InsForgeUser.LinkedAccount(provider: provider, subject: identity.subject)
        return try users.withLock { users in
            let known =
                users.firstIndex { $0.linkedAccounts.contains(account) }
                ?? users.firstIndex { $0.email.caseInsensitiveCompare(identity.email) == .orderedSame }
            if let known {
                if !users[known].linkedAccounts.contains(account) { users[known].linkedAccounts.append(account) }
                users[known].emailVerified = true
                return users[known]
            }
            guard allowsSignUp else { throw InsForgeServerError.signupDisabled }
            var user = InsForgeUser(
                email: identity.email, emailVerified: true,
                profile: ["name": .string(identity.name), "avatar_url": .string(identity.avatarURL)], at: date)
            user.linkedAccounts = [account]
            users.append(user)
            return user
        }
    }
}
