import Foundation
import IdentityKit

struct InsForgeUser: Sendable, Equatable, Codable {
    /// An account at an OAuth provider with which this user can sign in.
    struct LinkedAccount: Sendable, Equatable, Codable {
        let provider: String
        let subject: String
    }

    let id: String
    var email: String
    var emailVerified: Bool
    let createdAt: Date
    var updatedAt: Date
    var profile: [String: JSONValue]
    var linkedAccounts: [LinkedAccount] = []
    private var passwordDigest: Data?

    init(
        id: String = UUID().uuidString.lowercased(), email: String, emailVerified: Bool,
        profile: [String: JSONValue], at date: Date
    ) {
        (self.id, self.email, self.emailVerified, self.profile) = (id, email, emailVerified, profile)
        createdAt = date
        updatedAt = date
    }

    init(seeded user: LocalInsForgeServer.User, at date: Date) {
        self.init(
            id: user.id, email: user.email.lowercased(), emailVerified: user.emailVerified,
            profile: user.profile ?? ["name": .string(user.name)], at: date)
        setPassword(user.password)
    }

    mutating func setPassword(_ password: String?) { passwordDigest = password.map(Self.digest) }

    /// Whether the user has this password; false for a user without a password.
    func hasPassword(_ password: String) -> Bool { passwordDigest == Self.digest(password) }

    /// Returns the user object in responses (Backends/InsForge.md#a-user).
    /// - Parameter withProviders: whether the object has `providers`, which some versions of the server omit.
    func json(withProviders: Bool = true) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "email": .string(email), "emailVerified": .bool(emailVerified),
            "createdAt": .string(createdAt.insForgeText), "updatedAt": .string(updatedAt.insForgeText),
            "profile": .object(profile), "metadata": [:],
        ]
        if withProviders { members["providers"] = .array(providers.map { .string($0) }) }
        return .object(members)
    }

    /// The user object in the response to the native sign-in that created the user: without `providers`, and with `null`
    /// as `metadata`.
    var brandNewJSON: JSONValue {
        var value = json(withProviders: false)
        value["metadata"] = JSONValue.null
        return value
    }

    /// The linked providers in alphabetical order, then `email` for a user with a password or without any provider.
    private var providers: [String] {
        let linked = Set(linkedAccounts.map(\.provider)).sorted()
        let signsInByMail = passwordDigest != nil || linked.isEmpty
        return signsInByMail && !linked.contains("email") ? linked + ["email"] : linked
    }

    /// Returns the SHA-256 hash of the password's first 72 bytes. The real server uses bcrypt, which also ignores later
    /// bytes, but is too slow for tests.
    private static func digest(_ password: String) -> Data { sha256(Array(password.utf8.prefix(72))) }
}

extension Date {
    /// The date in ISO 8601 in UTC with milliseconds, as JavaScript writes it.
    var insForgeText: String { Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(self) }
}
