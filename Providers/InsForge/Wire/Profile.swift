/// The public profile of a user. Everybody who knows the user's identifier can read it.
public struct Profile: Codable, Sendable, Hashable, Identifiable {
    /// The user's identifier, a UUID.
    public let id: String
    /// The members that the user stored; `nil` when there are none.
    public let profile: UserProfile?

    /// The display name; `nil` if it is missing or not a string.
    public var name: String? { profile?.name }
    /// The address of the user's picture; `nil` if it is missing or not a string.
    public var avatarUrl: String? { profile?.avatarUrl }
}
