import Foundation

// The one place that chooses between Apple's cryptography and swift-crypto, which is the same API elsewhere. Apple has
// RSA in Security instead of CryptoKit, so RSA is wrapped here and everybody else sees plain bytes.
#if canImport(CryptoKit)
import CryptoKit
import Security
#else
import Crypto
import CryptoExtras
#endif

/// SHA-256 (FIPS 180-4).
package func sha256(_ bytes: some DataProtocol) -> Data {
    Data(SHA256.hash(data: bytes))
}

/// SHA-1, for certificate thumbprints (`x5t`, RFC 7515 section 4.1.7) and nothing that must be secure.
package func sha1(_ bytes: some DataProtocol) -> Data {
    Data(Insecure.SHA1.hash(data: bytes))
}

/// HMAC with SHA-256 (RFC 2104).
package func hmacSHA256(_ bytes: some DataProtocol, key: some ContiguousBytes) -> Data {
    Data(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
}

/// The platform's cryptography refused: a malformed key, or an operation it does not support.
package struct CryptographyFailure: Error, Equatable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}

/// An RSA key pair that signs RSASSA-PKCS1-v1_5 with SHA-256 (JWS `RS256`, RFC 7518 section 3.3).
///
/// Made fresh by the local servers; no client needs one.
package struct RSASigningKey: Sendable {
    #if canImport(CryptoKit)
    // SecKey is immutable and documented as safe to use from any thread, but is not annotated as sendable.
    private nonisolated(unsafe) let key: SecKey
    #else
    private let key: _RSA.Signing.PrivateKey
    #endif

    /// The public modulus `n`, big-endian, without leading zeros.
    package let modulus: Data
    /// The public exponent `e`, big-endian.
    package let exponent: Data

    /// Generates a 2048-bit key pair.
    package init() throws {
        #if canImport(CryptoKit)
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: 2048,
        ]
        guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, nil),
            let publicKey = SecKeyCopyPublicKey(key),
            let encoded = SecKeyCopyExternalRepresentation(publicKey, nil) as Data?
        else { throw CryptographyFailure("no RSA key pair could be generated") }
        self.key = key
        (modulus, exponent) = try PKCS1PublicKey.integers(in: encoded)
        #else
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let primitives = try key.publicKey.getKeyPrimitives()
        (modulus, exponent) = (primitives.modulus, primitives.publicExponent)
        #endif
    }

    /// The signature over `bytes`.
    package func signature(over bytes: Data) throws -> Data {
        #if canImport(CryptoKit)
        guard
            let signature = SecKeyCreateSignature(
                key, .rsaSignatureMessagePKCS1v15SHA256, bytes as CFData, nil) as Data?
        else { throw CryptographyFailure("the RSA signature could not be made") }
        return signature
        #else
        return try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation
        #endif
    }
}

#if canImport(CryptoKit)
/// `RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER }` (RFC 8017 appendix A.1.1), the form
/// Security exports.
private enum PKCS1PublicKey {
    static func integers(in encoded: Data) throws -> (modulus: Data, exponent: Data) {
        var rest = encoded[...]
        rest = try content(ofTag: 0x30, in: &rest)
        let modulus = try content(ofTag: 0x02, in: &rest)
        let exponent = try content(ofTag: 0x02, in: &rest)
        return (Data(modulus.drop { $0 == 0 }), Data(exponent))
    }

    private static func content(ofTag tag: UInt8, in rest: inout Data) throws -> Data {
        guard rest.popFirst() == tag, let first = rest.popFirst() else {
            throw CryptographyFailure("the RSA public key is not in PKCS #1 form")
        }
        var length = Int(first)
        if first & 0x80 != 0 {
            length = rest.prefix(Int(first & 0x7F)).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(Int(first & 0x7F))
        }
        guard rest.count >= length else {
            throw CryptographyFailure("the RSA public key is truncated")
        }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }
}
#endif
