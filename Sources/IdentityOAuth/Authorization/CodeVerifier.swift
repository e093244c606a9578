import Foundation
import IdentityKit

/// The secret of one PKCE flow (RFC 7636): it stays in the app until the code is exchanged, so a stolen code is
/// worthless.
package struct CodeVerifier: Sendable, Hashable {
    /// The verifier, for the token request.
    package let secret: Secret

    /// Makes a verifier of 43 characters out of 32 unpredictable bytes, as RFC 7636 section 4.1 recommends.
    /// - Throws: ``/IdentityCore/RandomnessError``; nothing weaker is made instead.
    package init(random: RandomSource = .system) throws {
        secret = Secret(Base64URL.encode(try random.bytes(32)))
    }

    /// Takes an existing verifier.
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

    /// The only challenge method.
    package static let codeChallengeMethod = "S256"
}

extension CodeVerifier: Codable {
    /// Decodes and checks a stored verifier.
    package init(from decoder: any Decoder) throws {
        try self.init(Secret(from: decoder))
    }

    /// Encodes the verifier unencrypted, so encode it only into a sealed store.
    package func encode(to encoder: any Encoder) throws {
        try secret.encode(to: encoder)
    }
}
