import Foundation
import IdentityKit

/// A user as InsForge describes one (contract 0.4).
public struct User: Codable, Sendable, Hashable, Identifiable {
    /// The stable identifier, a UUID.
    public let id: String
    /// The e-mail address, lower case for password users.
    public let email: String
    /// Whether the address is verified.
    public let emailVerified: Bool
    /// When the account was made, ISO 8601.
    public let createdAt: String
    /// When it was changed last, ISO 8601.
    public let updatedAt: String
    /// The names of the linked providers; the server leaves them out for a brand-new OAuth user.
    public let providers: [String]?
    /// What the user told about themselves.
    public let profile: UserProfile?
    /// What the project keeps about the user.
    public let metadata: JSONValue?
}

extension User {
    /// The same user with another profile.
    func with(_ profile: UserProfile) -> User {
        User(
            id: id, email: email, emailVerified: emailVerified, createdAt: createdAt, updatedAt: updatedAt,
            providers: providers, profile: profile, metadata: metadata)
    }
}

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
