import IdentityKit

extension LocalThunderIDServer {
    /// A person who signs in with a password.
    public struct User: Sendable, Equatable, Codable {
        /// The user's identifier: the `sub` of every token.
        public var id: String
        /// The user name for signing in, and the attribute `username`.
        public var username: String
        /// The password for signing in.
        public var password: Secret
        /// The other attributes of the user type `Person`.
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
