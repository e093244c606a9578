import IdentityKit

extension LocalThunderIDServer {
    /// A person with a password.
    public struct User: Sendable, Equatable, Codable {
        /// The user id: `sub` of every token.
        public var id: String
        /// Text to type into the first field, and the attribute `username`.
        public var username: String
        /// Text to type into the second field.
        public var password: Secret
        /// The other attributes of the user type `Person`.
        public var attributes: [String: JSONValue]

        /// A user called Ada by default.
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
