import Foundation
import IdentityKit

extension ThunderIDClient {
    /// A user who is signed in.
    public struct User: Sendable, Hashable, Codable {
        /// The server's permanent identifier of the person.
        public let sub: String
        /// The user name for signing in, if known.
        public let username: String?
        /// The e-mail address, if known.
        public let email: String?
        /// The name to display: `name`, or given and family name, or the user name.
        public let displayName: String?
        /// The address of a picture.
        public let profilePicture: String?
        /// Whether the account has just been created, if known.
        public let isNewUser: Bool?
        /// Every claim the server sent.
        public let claims: [String: AnyCodable]?

        private enum CodingKeys: String, CodingKey {
            case sub, username, email, displayName
            case profilePicture = "picture"
            case isNewUser, claims
        }

        public init(
            sub: String, username: String? = nil, email: String? = nil, displayName: String? = nil,
            profilePicture: String? = nil, isNewUser: Bool? = nil, claims: [String: AnyCodable]? = nil
        ) {
            self.sub = sub
            self.username = username
            self.email = email
            self.displayName = displayName
            self.profilePicture = profilePicture
            self.isNewUser = isNewUser
            self.claims = claims
        }

        /// Creates a user from OpenID Connect claims or ThunderID attributes, which have the same names.
        /// - Parameter profile: additional, newer data about the person.
        init(sub: String, claims: [String: JSONValue], profile: AccountProfile? = nil) {
            let known = profile.completed(with: AccountProfile(attributes: claims))
            self.init(
                sub: sub, username: known?.username, email: known?.email,
                displayName: known?.displayName ?? known?.username,
                profilePicture: profile?.picture?.absoluteString ?? claims["picture"]?.stringValue
                    ?? claims["profilePicture"]?.stringValue,
                isNewUser: claims["isNewUser"]?.boolValue, claims: claims.mapValues(AnyCodable.init(json:)))
        }
    }
}

extension ThunderIDClient.User {
    /// The value of a claim: a `String`, `Bool`, `Int`, `Double`, `[AnyCodable]`, `[String: AnyCodable]` or `NSNull`; `nil`
    /// when the server did not send it.
    public subscript(claim: String) -> Any? { claims?[claim]?.value }

    /// The given name, if known.
    public var givenName: String? { claims?["given_name"]?.json.stringValue }

    /// The family name, if known.
    public var familyName: String? { claims?["family_name"]?.json.stringValue }

    /// The claims about the person, without those of the protocol, such as `iss` and `exp`.
    public var profileClaims: [String: AnyCodable] { (claims ?? [:]).filter { !Self.protocolClaims.contains($0.key) } }

    /// Claims of the protocol (OpenID Connect Core section 2, RFC 9068 section 2.2), and those that this server adds.
    private static let protocolClaims: Set = [
        "iss", "aud", "exp", "iat", "nbf", "jti", "nonce", "azp", "at_hash", "c_hash", "s_hash", "auth_time", "acr",
        "amr", "sid", "client_id", "scope", "cnf", "grant_type", "assurance", "authorized_permissions", "act",
        "authorization_request_id", "tfid", "aci",
    ]
}

/// The short name of ``ThunderIDClient/User``, for files in which no other module has it.
public typealias User = ThunderIDClient.User

extension ThunderIDClient {
    /// A user's own record at the server.
    public struct UserProfile: Sendable, Hashable, Codable {
        public let id: String
        /// The attributes by name: those of SCIM if the server supports it, otherwise ThunderID's own.
        public let claims: [String: AnyCodable]

        public init(id: String, claims: [String: AnyCodable]) {
            self.id = id
            self.claims = claims
        }
    }
}

/// The short name of ``ThunderIDClient/UserProfile``, for files in which no other module has it.
public typealias UserProfile = ThunderIDClient.UserProfile

extension User: CustomReflectable {
    /// Shows the subject, and of the claims only the names.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "sub": sub,
                "username": username as Any,
                "email": email as Any,
                "displayName": displayName as Any,
                "claims": claims?.namesAlone as Any,
            ])
    }
}

extension UserProfile: CustomReflectable {
    /// Shows the names of the claims alone.
    public var customMirror: Mirror { Mirror(self, showing: ["id": id, "claims": claims.namesAlone]) }
}
