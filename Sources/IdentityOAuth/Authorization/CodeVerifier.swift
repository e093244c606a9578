import Foundation
import IdentityKit

/// The secret of one PKCE flow (RFC 7636). It stays in the app until the app exchanges the authorization code, so that
/// nobody else can exchange a stolen code.
package struct CodeVerifier: Sendable, Hashable {
    /// The verifier, which the token request contains as `code_verifier`.
    package let secret: Secret

    /// Creates a verifier of 43 characters from 32 random bytes, as RFC 7636 section 4.1 recommends.
    /// - Throws: `RandomnessError` without random bytes. A weaker verifier is never created.
    package init(random: RandomSource = .system) throws {
        secret = Secret(Base64URL.encode(try random.bytes(32)))
    }

    /// Creates a verifier from an existing secret.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` unless it is 43 to 128 unreserved characters (RFC 7636 section 4.1).
    package init(_ secret: Secret) throws {
        let characters = secret.reveal().utf8
        guard 43...128 ~= characters.count, characters.allSatisfy(isUnreserved) else {
            throw OAuthError.invalidSetting(.invalidCodeVerifier)
        }
        self.secret = secret
    }

    /// The challenge by the method `S256` (RFC 7636 section 4.2). The weaker method `plain` is not supported.
    package var codeChallenge: String {
        Base64URL.encode(sha256(Data(secret.reveal().utf8)))
    }

    /// The method of ``codeChallenge``, SHA-256 (RFC 7636 section 4.2).
    package static let codeChallengeMethod = "S256"
}

extension CodeVerifier: Codable {
    /// Decodes a stored verifier, and checks it as ``init(_:)`` does.
    package init(from decoder: any Decoder) throws {
        try self.init(Secret(from: decoder))
    }

    /// Encodes the verifier unencrypted, so encode it only for a store that encrypts its content.
    package func encode(to encoder: any Encoder) throws {
        try secret.encode(to: encoder)
    }
}
