import IdentityKit

extension LocalThunderIDServer {
    /// A user that the server creates when it starts, with the built-in user type `Person`.
    public struct User: Sendable, Equatable, Codable {
        /// The user's identifier: the `sub` of the user's access tokens, ID tokens and assertions.
        public var id: String
        /// The user name for signing in, and the attribute `username`.
        public var username: String
        /// The initial password, which a recovery or `/users/me/update-credentials` can change.
        public var password: Secret
        /// The attributes other than `username`, such as `email`. Names that the user type `Person` does not define are
        /// allowed.
        public var attributes: [String: JSONValue]

        /// Creates a user, by default one called Ada.
        public init(
            id: String = "01900000-0000-7000-8000-0000000000b1",
            username: String = "ada",
            password: Secret = "Enchantress-1",
            attributes: [String: JSONValue] = [
                "email": "ada@example.org", "given_name": "Ada", "family_name": "Lovelace",
                "name": "Ada Lovelace",
            ]
        ) {
            (self.id, self.username, self.password, self.attributes) = (id, username, password, attributes)
        }
    }
}
