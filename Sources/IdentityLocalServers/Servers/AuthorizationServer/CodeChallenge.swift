import Foundation
import IdentityKit

/// Proof Key for Code Exchange, method S256 (RFC 7636 section 4).
enum CodeChallenge {
    /// Whether the text can be the base64url encoding of a SHA-256 hash.
    static func isWellFormed(_ challenge: String) -> Bool {
        challenge.utf8.count == 43
            && challenge.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    /// Whether the text has the length and the characters of a code verifier (section 4.1).
    static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(isUnreserved)
    }

    static func matches(_ challenge: String, verifier: String) -> Bool {
        TokenSigner.base64URL(sha256(Data(verifier.utf8))) == challenge
    }
}
