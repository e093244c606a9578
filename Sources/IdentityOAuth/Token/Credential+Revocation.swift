import Foundation
import IdentityKit

extension Credential {
    /// Whether this session, which replaces `old`, certainly stays valid when the tokens of `old` are revoked.
    ///
    /// A revocation ends all tokens of a grant (RFC 7009 section 2.1), and a server may have one grant for all sign-ins
    /// of a person with one client. The grants certainly differ if the ID tokens name different sessions (`sid`, OpenID
    /// Connect Front-Channel Logout section 3). If either ID token has no `sid`, the times of authentication are compared
    /// instead (`auth_time`, OpenID Connect Core section 2). Apple, Auth0, Google and Keycloak may end all grants of the
    /// person although these values differ, so the result is `false` for their addresses.
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
        let url = URL(string: backend)
        let host = url?.host?.lowercased() ?? ""
        // Keycloak's addresses have the path `/realms/`. Versions from before 2025 end all sessions of the person with the
        // client when one refresh token is revoked.
        return host == "accounts.google.com" || host.hasSuffix(".apple.com") || host.hasSuffix(".auth0.com")
            || url?.path.contains("/realms/") == true
    }

    private static func claims(of idToken: Secret?) -> [String: JSONValue]? {
        idToken.flatMap { try? JSONWebToken($0) }?.claims
    }
}
