import Foundation
import IdentityKit
import IdentityOAuth

extension InsForgeClient {
    /// A user of an InsForge project.
    public struct User: Codable, Sendable, Hashable, Identifiable {
        /// The stable identifier, a UUID.
        public let id: String
        /// The e-mail address, in lower case for users with a password; empty if the server did not send it.
        public let email: String
        /// Whether the address is known to be verified; `false` if the server did not send it.
        public let emailVerified: Bool
        /// The time of the account's creation in ISO 8601; empty if the server did not send it.
        public let createdAt: String
        /// The time of the account's last change in ISO 8601; empty if the server did not send it.
        public let updatedAt: String
        /// The names of the linked providers; `nil` for a new OAuth user.
        public let providers: [String]?
        /// The user's public profile.
        public let profile: UserProfile?
        /// Notes of an administrator about the user.
        public let metadata: JSONValue?

        /// The display name in the profile; `nil` if it is not a string.
        public var name: String? { profile?.name }
    }
}

/// The short name of ``InsForgeClient/User``, for files in which no other module has it.
public typealias User = InsForgeClient.User

extension User {
    /// Reads a user. Only the identifier is required; any other member that is missing, `null` or of another type is dropped.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        self.init(try ReceivedUser(from: decoder))
    }

    /// Creates a user from a server's response.
    /// - Parameter known: the earlier data of the same user, used for members that the response lacks.
    init(_ received: ReceivedUser, keeping known: User? = nil) {
        self.init(
            id: received.id, email: received.email ?? known?.email ?? "",
            emailVerified: received.emailVerified ?? known?.emailVerified ?? false,
            createdAt: received.createdAt ?? known?.createdAt ?? "",
            updatedAt: received.updatedAt ?? known?.updatedAt ?? "",
            providers: received.providers ?? known?.providers, profile: received.profile ?? known?.profile,
            metadata: received.metadata ?? known?.metadata)
    }

    /// The user in an access token's claims, with only identifier and address; `nil` without an identifier.
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
    /// A user's profile, with any JSON members, whose types the server does not validate.
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

        /// The display name; `nil` if it is not a string.
        public var name: String? { members["name"]?.stringValue }
        /// The address of a picture; `nil` if it is not a string.
        public var avatarUrl: String? { members["avatar_url"]?.stringValue }
    }
}

/// The short name of ``InsForgeClient/UserProfile``, for files in which no other module has it.
public typealias UserProfile = InsForgeClient.UserProfile

extension AccountProfile {
    /// The profile of `user`, cleaned like claims, because users can store any text.
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
