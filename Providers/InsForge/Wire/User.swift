import Foundation
import IdentityKit
import IdentityOAuth

extension InsForgeClient {
    /// A user.
    public struct User: Codable, Sendable, Hashable, Identifiable {
        /// The stable identifier, a UUID.
        public let id: String
        /// The e-mail address, lower case for password users; empty when the server did not say it.
        public let email: String
        /// Whether the address is known to be verified; `false` when the server did not say it.
        public let emailVerified: Bool
        /// When the account was created, ISO 8601; empty when the server did not say it.
        public let createdAt: String
        /// When the account was last changed, ISO 8601; empty when the server did not say it.
        public let updatedAt: String
        /// The names of the linked providers; `nil` for a new OAuth user.
        public let providers: [String]?
        /// The user's public profile.
        public let profile: UserProfile?
        /// Notes of an administrator about the user.
        public let metadata: JSONValue?

        /// The display name in the profile, when it is a string.
        public var name: String? { profile?.name }
    }
}

/// The short name of ``InsForgeClient/User``, for files in which no other module has it.
public typealias User = InsForgeClient.User

extension User {
    /// Reads a user. Only the identifier is needed: another member that is missing, `null` or of another type is left out.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        self.init(try ReceivedUser(from: decoder))
    }

    /// A user as the server describes them.
    /// - Parameter known: the same user before, who has what the server left out.
    init(_ received: ReceivedUser, keeping known: User? = nil) {
        self.init(
            id: received.id, email: received.email ?? known?.email ?? "",
            emailVerified: received.emailVerified ?? known?.emailVerified ?? false,
            createdAt: received.createdAt ?? known?.createdAt ?? "",
            updatedAt: received.updatedAt ?? known?.updatedAt ?? "",
            providers: received.providers ?? known?.providers, profile: received.profile ?? known?.profile,
            metadata: received.metadata ?? known?.metadata)
    }

    /// The user in the claims of an access token: identifier and address only. `nil` without an identifier.
    init?(claimsOf accessToken: Secret) {
        guard let token = try? JSONWebToken(accessToken), let id = token.subject, !id.isEmpty else { return nil }
        self.init(ReceivedUser(id: id, email: token.claims["email"]?.stringValue))
    }

    func with(_ profile: UserProfile) -> User {
        User(
            id: id, email: email, emailVerified: emailVerified, createdAt: createdAt, updatedAt: updatedAt,
            providers: providers, profile: profile, metadata: metadata)
    }
}

extension InsForgeClient {
    /// A user's profile: any JSON members. The server does not validate their types.
    public struct UserProfile: Codable, Sendable, Hashable {
        /// All members, as they were stored.
        public let members: [String: JSONValue]

        public init(members: [String: JSONValue]) {
            self.members = members
        }

        public init(from decoder: any Decoder) throws {
            members = try decoder.singleValueContainer().decode([String: JSONValue].self)
        }

        /// Writes the object.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(members)
        }

        /// The display name, when it is a string.
        public var name: String? { members["name"]?.stringValue }
        /// The address of a picture, when it is a string.
        public var avatarUrl: String? { members["avatar_url"]?.stringValue }
    }
}

/// The short name of ``InsForgeClient/UserProfile``, for files in which no other module has it.
public typealias UserProfile = InsForgeClient.UserProfile

extension AccountProfile {
    /// The profile of `user`, cleaned as claims are: users can store any text.
    init(_ user: User) {
        let members = ["name": user.name, "email": user.email, "picture": user.profile?.avatarUrl]
        self = AccountProfile(claims: members.compactMapValues { $0.map(JSONValue.string) }) ?? AccountProfile()
    }
}

extension User: CustomReflectable {
    /// Shows only the names of the metadata.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "id": id,
                "email": email,
                "emailVerified": emailVerified,
                "createdAt": createdAt,
                "updatedAt": updatedAt,
                "providers": providers as Any,
                "profile": profile as Any,
                "metadata": metadata?.objectValue?.namesAlone as Any,
            ])
    }
}

extension UserProfile: CustomReflectable {
    /// Shows only the names of further members.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "name": name as Any,
                "avatarUrl": avatarUrl as Any,
                "members": members.namesAlone,
            ])
    }
}
