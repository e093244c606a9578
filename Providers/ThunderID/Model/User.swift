import Foundation
import IdentityKit

extension ThunderIDClient {
    /// A user of the application, usually the signed-in one, with the data from the tokens and the server.
    public struct User: Sendable, Hashable, Codable {
        /// The server's permanent identifier of the person.
        public let sub: String
        /// The user name for signing in, if known.
        public let username: String?
        /// The e-mail address, if known.
        public let email: String?
        /// The name to display: `name`, or given and family name, or the user name; `nil` if none of them is known.
        public let displayName: String?
        /// The address of the user's picture; `nil` if unknown.
        public let profilePicture: String?
        /// Whether the account has just been created; `nil` if the server does not report it.
        public let isNewUser: Bool?
        /// The claims and attributes from the tokens and the server, by name; `nil` if none are known.
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

        /// Creates a user from OpenID Connect claims, or from attributes of ThunderID or SCIM.
        /// - Parameter profile: newer data about the person, preferred to the names, e-mail address and picture in
        ///   `claims`.
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

    /// The claim `given_name`; `nil` if it is missing or no text.
    public var givenName: String? { claims?["given_name"]?.json.stringValue }

    /// The claim `family_name`; `nil` if it is missing or no text.
    public var familyName: String? { claims?["family_name"]?.json.stringValue }

    /// The ``claims`` about the person, without claims of the protocol such as `iss` and `exp`; empty if there are
    /// none.
    public var profileClaims: [String: AnyCodable] { (claims ?? [:]).filter { !Self.protocolClaims.contains($0.key) } }

    /// Claims of the protocol (OpenID Connect Core section 2, RFC 9068 section 2.2), and claims that this server adds
    /// to tokens.
    private static let protocolClaims: Set = [
        "iss", "aud", "exp", "iat", "nbf", "jti", "nonce", "azp", "at_hash", "c_hash", "s_hash", "auth_time", "acr",
        "amr", "sid", "client_id", "scope", "cnf", "grant_type", "assurance", "authorized_permissions", "act",
        "authorization_request_id", "tfid", "aci",
    ]
}

/// The short name of ``ThunderIDClient/User``, for files that import no other module with a `User`.
public typealias User = ThunderIDClient.User

extension ThunderIDClient {
    /// The record of the signed-in user at the server.
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

/// The short name of ``ThunderIDClient/UserProfile``, for files that import no other module with a `UserProfile`.
public typealias UserProfile = ThunderIDClient.UserProfile

extension User: Reticent {
    /// Shows the identifier, names and e-mail address of the user, and the names of the claims without their values.
    package var shown: KeyValuePairs<String, Any> {
        [
            "sub": sub,
            "username": username as Any,
            "email": email as Any,
            "displayName": displayName as Any,
            "claims": claims?.namesAlone as Any,
        ]
    }
}

extension UserProfile: Reticent {
    /// The values of the claims are personal, so only their names are shown.
    package var shown: KeyValuePairs<String, Any> { ["id": id, "claims": claims.namesAlone] }
}
