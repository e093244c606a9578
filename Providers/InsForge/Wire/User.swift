import Foundation
import IdentityKit
import OAuthKit

extension InsForgeClient {
    /// A user as InsForge describes one (contract 0.4).
    public struct User: Codable, Sendable, Hashable, Identifiable {
        /// The stable identifier, a UUID.
        public let id: String
        /// The e-mail address, lower case for password users.
        public let email: String
        /// Whether the address is known to be verified.
        public let emailVerified: Bool
        /// When the account was made, ISO 8601; empty until the server was asked about a session that was taken over.
        public let createdAt: String
        /// When it was changed last, ISO 8601; empty until the server was asked about a session that was taken over.
        public let updatedAt: String
        /// The names of the linked providers; the server leaves them out for a brand-new OAuth user.
        public let providers: [String]?
        /// What the user told about themselves.
        public let profile: UserProfile?
        /// What the project keeps about the user.
        public let metadata: JSONValue?

        /// The display name in the profile, when it is a text.
        public var name: String? { profile?.name }
    }
}

/// The short name of ``InsForgeClient/User``, for files in which no other module has it.
public typealias User = InsForgeClient.User

extension User {
    /// The user that an access token names (contract 1.1), as far as it does: nothing but identifier and address is
    /// known. `nil` when it names nobody.
    init?(claimsOf accessToken: Secret) {
        guard let token = try? JSONWebToken(accessToken), let id = token.subject, !id.isEmpty,
            let email = token.claims["email"]?.stringValue
        else { return nil }
        self.init(
            id: id, email: email, emailVerified: false, createdAt: "", updatedAt: "", providers: nil, profile: nil,
            metadata: nil)
    }

    /// The same user with another profile.
    func with(_ profile: UserProfile) -> User {
        User(
            id: id, email: email, emailVerified: emailVerified, createdAt: createdAt, updatedAt: updatedAt,
            providers: providers, profile: profile, metadata: metadata)
    }
}

extension InsForgeClient {
    /// A user's profile: any JSON members, of which two are conventional.
    ///
    /// The server never validates it, so no member is assumed to have a certain type.
    public struct UserProfile: Codable, Sendable, Hashable {
        /// Every member, as it was stored.
        public let members: [String: JSONValue]

        /// A profile.
        public init(members: [String: JSONValue]) {
            self.members = members
        }

        /// Reads any object.
        public init(from decoder: any Decoder) throws {
            members = try decoder.singleValueContainer().decode([String: JSONValue].self)
        }

        /// Writes the object.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(members)
        }

        /// The display name, when it is a text.
        public var name: String? { members["name"]?.stringValue }
        /// The address of a picture, when it is a text.
        public var avatarUrl: String? { members["avatar_url"]?.stringValue }
    }
}

/// The short name of ``InsForgeClient/UserProfile``, for files in which no other module has it.
public typealias UserProfile = InsForgeClient.UserProfile

extension AccountProfile {
    /// How `user` is known. Their sign-in name is the address. Anybody may put any text there, so it is read as claims are.
    init(_ user: User) {
        let members = ["name": user.name, "email": user.email, "picture": user.profile?.avatarUrl]
        self = AccountProfile(claims: members.compactMapValues { $0.map(JSONValue.string) }) ?? AccountProfile()
    }
}

extension User: CustomReflectable {
    /// Shows the names of what an administrator noted alone.
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
    /// Shows the names of the members beyond the usual alone.
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
