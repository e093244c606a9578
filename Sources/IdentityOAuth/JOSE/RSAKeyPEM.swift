import Foundation
import IdentityKit

/// Reads RSA private keys in PEM form without a password: PKCS #1 (`RSA PRIVATE KEY`, RFC 8017 appendix A.1.2), or PKCS #8
/// (`PRIVATE KEY`, RFC 5958 section 2).
enum RSAKeyPEM {
    /// The names of the numbers in a JWK (RFC 7518 section 6.3), in the order of PKCS #1.
    private static let names = ["n", "e", "d", "p", "q", "dp", "dq", "qi"]

    /// Returns the members of the JWK for the first PKCS #1 key in the text, or else for the first PKCS #8 key.
    /// - Throws: ``CryptographyError`` for a text without such a key, and for a key that is not an RSA key of two primes.
    static func members(_ pem: String) throws -> [String: JSONValue] {
        let encoded: Data
        if let inner = content(of: "RSA PRIVATE KEY", in: pem) {
            encoded = inner
        } else if let outer = content(of: "PRIVATE KEY", in: pem) {
            encoded = try PKCS1.privateKey(inPKCS8: outer)
        } else {
            throw CryptographyError("the text has no RSA key")
        }
        let numbers = try PKCS1.integers(in: encoded)
        // The first number is the version, which is 0 for a key of two primes.
        guard numbers.count == names.count + 1, numbers[0].isEmpty else {
            throw CryptographyError("the RSA key has not two primes")
        }
        return zip(names, numbers.dropFirst()).reduce(into: ["kty": "RSA"]) { members, number in
            members[number.0] = .string(Base64URL.encode(number.1))
        }
    }

    private static func content(of label: String, in pem: String) -> Data? {
        guard let start = pem.range(of: "-----BEGIN \(label)-----"),
            let end = pem.range(of: "-----END \(label)-----", range: start.upperBound..<pem.endIndex)
        else { return nil }
        return Data(base64Encoded: String(pem[start.upperBound..<end.lowerBound].filter { !$0.isWhitespace }))
    }
}
