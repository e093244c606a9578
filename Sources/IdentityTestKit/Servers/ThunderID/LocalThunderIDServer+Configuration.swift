#if Tools
import Foundation
import IdentityKit

extension LocalThunderIDServer {
    /// What a local server knows and how it behaves. Every value has a default, which is the real server's own.
    public struct Configuration: Sendable {
        /// The first application.
        public var application: Application
        /// More applications.
        public var additionalApplications: [Application]
        /// The user that exists from the start.
        public var user: User
        /// More users that exist from the start.
        public var additionalUsers: [User]
        /// The issuer, exactly as it shall appear in tokens and discovery; `nil` for the server's own URL.
        public var issuer: String?
        /// How long access and id tokens live.
        public var accessTokenLifetime: Duration
        /// How long a refresh token and its successors live, counted from the first one.
        public var refreshTokenLifetime: Duration
        /// Whether a refresh spends the refresh token and hands out a new one.
        public var rotatesRefreshTokens: Bool
        /// Whether a spent refresh token or code that is presented again revokes its token family.
        public var revokesFamilyOnReplay: Bool
        /// How long a spent refresh token is taken once more without being a replay. Real servers of this kind have no
        /// grace; others do.
        public var rotationGrace: Duration

        /// One public mobile application, one user, and the rules of a server as it is delivered.
        public init(
            application: Application = Application(),
            additionalApplications: [Application] = [],
            user: User = User(),
            additionalUsers: [User] = [],
            issuer: String? = nil,
            accessTokenLifetime: Duration = .seconds(3600),
            refreshTokenLifetime: Duration = .seconds(86_400),
            rotatesRefreshTokens: Bool = true,
            revokesFamilyOnReplay: Bool = true,
            rotationGrace: Duration = .zero
        ) {
            self.application = application
            self.additionalApplications = additionalApplications
            self.user = user
            self.additionalUsers = additionalUsers
            self.issuer = issuer
            self.accessTokenLifetime = accessTokenLifetime
            self.refreshTokenLifetime = refreshTokenLifetime
            self.rotatesRefreshTokens = rotatesRefreshTokens
            self.revokesFamilyOnReplay = revokesFamilyOnReplay
            self.rotationGrace = rotationGrace
        }

        /// Every application.
        var applications: [Application] { [application] + additionalApplications }

        /// Every user that exists from the start.
        var users: [User] { [user] + additionalUsers }
    }

    /// A person with a password.
    public struct User: Sendable {
        /// The user id: `sub` of every token.
        public var id: String
        /// What is typed into the first field. It is also the attribute `username`.
        public var username: String
        /// What is typed into the second field.
        public var password: Secret
        /// The other attributes of the user type `Person`.
        public var attributes: [String: JSONValue]

        /// Somebody called Ada, unless told otherwise.
        public init(
            id: String = "01900000-0000-7000-8000-0000000000b1",
            username: String = "ada",
            password: Secret = "Enchantress-1",
            attributes: [String: JSONValue] = [
                "email": "ada@example.org", "given_name": "Ada", "family_name": "Lovelace",
                "name": "Ada Lovelace",
            ]
        ) {
            self.id = id
            self.username = username
            self.password = password
            self.attributes = attributes
        }
    }
}
#endif
