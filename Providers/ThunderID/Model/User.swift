import Foundation
import IdentityKit

extension ThunderIDClient {
    /// A user who is signed in.
    public struct User: Sendable, Hashable, Codable {
        /// The server's identifier of the person, which never changes.
        public let sub: String
        /// The name the person signs in with, if known.
        public let username: String?
        /// The e-mail address, if known.
        public let email: String?
        /// The name to show: `name`, or given and family name, or the user name.
        public let displayName: String?
        /// The address of a picture.
        public let profilePicture: String?
        /// Whether the account was made just now, if known.
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

        /// Describes a person by OpenID Connect claims or ThunderID attributes, which have the same names.
        /// - Parameter profile: what is known of the person besides, and newer.
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

    /// The claims that describe the person, without those of the protocol, such as `iss` and `exp`.
    public var profileClaims: [String: AnyCodable] { (claims ?? [:]).filter { !Self.protocolClaims.contains($0.key) } }

    /// Claims of tokens (OpenID Connect Core section 2, RFC 9068 section 2.2), and of this server's.
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
        /// The attributes by name: SCIM's where a server has SCIM, ThunderID's own otherwise.
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
    /// Shows who it is, and of the claims the names alone.
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
