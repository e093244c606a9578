import Foundation
import IdentityKit

extension Credential {
    /// Whether this session certainly survives the revocation of `old`, which it replaces.
    ///
    /// A server may revoke all tokens of one person and one client as one grant (RFC 7009 section 2.1). Evidence of two
    /// grants are ID tokens of two sessions (`sid`, OpenID Connect Front-Channel Logout section 3) or of two
    /// authentications (`auth_time`, OpenID Connect Core section 2), except at Auth0 and Google.
    package func survivesRevocation(of old: Credential) -> Bool {
        guard !keepsOneGrant, let claims = Self.claims(of: idToken), let oldClaims = Self.claims(of: old.idToken) else {
            return false
        }
        if let session = claims["sid"]?.stringValue, let oldSession = oldClaims["sid"]?.stringValue {
            return !session.hasBytes(of: oldSession)
        }
        guard let time = claims["auth_time"]?.numberValue, let oldTime = oldClaims["auth_time"]?.numberValue else {
            return false
        }
        return time != oldTime
    }

    private var keepsOneGrant: Bool {
        let host = URL(string: backend)?.host?.lowercased() ?? ""
        return host == "accounts.google.com" || host.hasSuffix(".auth0.com")
    }

    private static func claims(of idToken: Secret?) -> [String: JSONValue]? {
        idToken.flatMap { try? JSONWebToken($0) }?.claims
    }
}
