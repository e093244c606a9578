import IdentityKit

/// The profile of a user, as everybody who knows the identifier may read it (contract 4).
public struct Profile: Codable, Sendable, Hashable, Identifiable {
    /// The user's identifier, a UUID.
    public let id: String
    /// Every member the user stored; `nil` for a user who stored none.
    public let profile: UserProfile?

    /// The display name, when it is a text.
    public var name: String? { profile?.name }
    /// The address of a picture, when it is a text.
    public var avatarUrl: String? { profile?.avatarUrl }
}
