import Foundation
import IdentityKit

extension Credential {
    /// Whether this session goes on when `old`, which it replaces, is revoked.
    ///
    /// A server may take tokens for one grant and revoke all of it (RFC 7009 section 2.1). Both ID tokens naming one
    /// session of the server (`sid`, OpenID Connect Front-Channel Logout section 3) shows that, as at Keycloak. Google keeps
    /// one grant for a person and a client, and says nothing about it in its tokens.
    package func survivesRevocation(of old: Credential) -> Bool {
        if backend == "https://accounts.google.com" { return false }
        guard let session = Self.sessionID(idToken), let oldSession = Self.sessionID(old.idToken) else { return true }
        return !session.isSameText(as: oldSession)
    }

    /// The `sid` of an ID token that was verified when it was received.
    private static func sessionID(_ idToken: Secret?) -> String? {
        idToken.flatMap { try? JSONWebToken($0) }?.claims["sid"]?.stringValue
    }
}
