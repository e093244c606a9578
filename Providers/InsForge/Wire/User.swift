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
        /// The names of the linked providers; `nil` if the server did not send them, as after a new user's native sign-in.
        public let providers: [String]?
        /// The user's public profile; `nil` if the server did not send it.
        public let profile: UserProfile?
        /// An administrator's data about the user, a JSON object; `nil` if the server did not send it.
        public let metadata: JSONValue?

        /// The display name in the profile; `nil` if it is missing or not a string.
        public var name: String? { profile?.name }
    }
}

/// Short name of ``InsForgeClient/User``, for files that import no other module with a type `User`.
public typealias User = InsForgeClient.User

extension User {
    /// Reads a user. Every member except the identifier may be missing. A member whose value has an unexpected type counts as
    /// missing.
    /// - Throws: `DecodingError` without an identifier, or for an empty one.
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

    /// Creates a user from the claims `sub` and `email` of an access token; `nil` if the token is not a JWT or has no
    /// subject.
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
    /// A user's profile: a JSON object with any members. The server does not check the types of the members.
    public struct UserProfile: Codable, Sendable, Hashable {
        /// All members, as the server returned them.
        public let members: [String: JSONValue]

        public init(members: [String: JSONValue]) {
            self.members = members
        }

        public init(from decoder: any Decoder) throws {
            members = try decoder.singleValueContainer().decode([String: JSONValue].self)
        }

        /// Encodes all members, unknown ones too, at the top level instead of under a key `members`.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(members)
        }

        /// The display name; `nil` if it is missing or not a string.
        public var name: String? { members["name"]?.stringValue }
        /// The address of the user's picture; `nil` if it is missing or not a string.
        public var avatarUrl: String? { members["avatar_url"]?.stringValue }
    }
}

/// Short name of ``InsForgeClient/UserProfile``, for files that import no other module with a type `UserProfile`.
public typealias UserProfile = InsForgeClient.UserProfile

extension AccountProfile {
    /// Creates a profile from `user`. Texts that are too long or contain control characters are ignored, because users can
    /// store any text.
    init(_ user: User) {
        let members = ["name": user.name, "email": user.email, "picture": user.profile?.avatarUrl]
        self = AccountProfile(claims: members.compactMapValues { $0.map(JSONValue.string) }) ?? AccountProfile()
    }
}

extension User: Reticent {
    /// Shows the user. Of the metadata, only the names of its members are shown.
    package var shown: KeyValuePairs<String, Any> {
        [
            "id": id,
            "email": email,
            "emailVerified": emailVerified,
            "createdAt": createdAt,
            "updatedAt": updatedAt,
            "providers": providers as Any,
            "profile": profile as Any,
            "metadata": metadata?.objectValue?.namesAlone as Any,
        ]
    }
}

extension UserProfile: Reticent {
    /// Shows the user's name and the picture's address. Of all other members, only the keys are shown.
    package var shown: KeyValuePairs<String, Any> {
        [
            "name": name as Any,
            "avatarUrl": avatarUrl as Any,
            "members": members.namesAlone,
        ]
    }
}
