import Foundation

// Uses CryptoKit on Apple's systems, and swift-crypto with the same API elsewhere. CryptoKit has no RSA, so the RSA types
// below wrap the Security framework on Apple's systems, and swift-crypto elsewhere.
#if canImport(CryptoKit)
import CryptoKit
import Security
#else
import Crypto
import CryptoExtras
#endif

/// A key is malformed, too short or of an unsupported kind, or the system could not create, export or use it.
package struct CryptographyError: Error, Equatable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}

// MARK: - Hashes

/// The SHA-2 functions (FIPS 180-4) that JOSE uses.
package enum HashAlgorithm: Sendable, CaseIterable {
    case sha256, sha384, sha512

    package func hash(_ bytes: some DataProtocol) -> Data { Data(digest(of: bytes)) }

    fileprivate func digest(of bytes: some DataProtocol) -> any Digest {
        switch self {
        case .sha256: SHA256.hash(data: bytes)
        case .sha384: SHA384.hash(data: bytes)
        case .sha512: SHA512.hash(data: bytes)
        }
    }
}

package func sha256(_ bytes: some DataProtocol) -> Data {
    HashAlgorithm.sha256.hash(bytes)
}

/// The SHA-1 digest, for the thumbprint of a certificate in a JWK (`x5t`, RFC 7517 section 4.8). SHA-1 is not secure, so
/// use it for nothing else.
package func sha1(_ bytes: some DataProtocol) -> Data {
    Data(Insecure.SHA1.hash(data: bytes))
}

/// HMAC with SHA-256 (RFC 2104).
package func hmacSHA256(_ bytes: some DataProtocol, key: some ContiguousBytes) -> Data {
    Data(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
}

// MARK: - Elliptic curves

/// The curves of JOSE's signature algorithms (RFC 7518 section 3.4, RFC 8037 section 3.1) except Ed448. A signature with an
/// ECDSA curve uses the hash that RFC 7518 assigns to the curve, such as SHA-256 for P-256. Ed25519 defines its own hash.
package enum SigningCurve: Sendable, CaseIterable {
    case p256, p384, p521, ed25519
}

package enum CurvePublicKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    /// Creates a key from a point of the curve.
    /// - Parameter point: the coordinates `x` and `y`, big-endian, each padded to the length of the curve's field; for
    ///   Ed25519 the 32 bytes of the key.
    /// - Throws: the error of CryptoKit or swift-crypto for a wrong length, or for coordinates that are not on the curve.
    package init(_ curve: SigningCurve, point: Data) throws {
        switch curve {
        case .p256: self = .p256(try P256.Signing.PublicKey(rawRepresentation: point))
        case .p384: self = .p384(try P384.Signing.PublicKey(rawRepresentation: point))
        case .p521: self = .p521(try P521.Signing.PublicKey(rawRepresentation: point))
        case .ed25519: self = .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: point))
        }
    }

    package var point: Data {
        switch self {
        case .p256(let key): key.rawRepresentation
        case .p384(let key): key.rawRepresentation
        case .p521(let key): key.rawRepresentation
        case .ed25519(let key): key.rawRepresentation
        }
    }

    /// Whether `signature` is valid for `message`. An ECDSA signature consists of the numbers `r` and `s`, big-endian, each
    /// padded to the length of the curve's field (RFC 7518 section 3.4).
    package func accepts(_ signature: Data, over message: Data) -> Bool {
        switch self {
        case .p256(let key):
            (try? P256.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.isValidSignature($0, for: message) } ?? false
        case .p384(let key):
            (try? P384.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.isValidSignature($0, for: message) } ?? false
        case .p521(let key):
            (try? P521.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.isValidSignature($0, for: message) } ?? false
        case .ed25519(let key):
            key.isValidSignature(signature, for: message)
        }
    }
}

package enum CurvePrivateKey: Sendable {
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)
    case p521(P521.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)

    /// Generates a key with the system's random number generator.
    package init(_ curve: SigningCurve) {
        switch curve {
        case .p256: self = .p256(P256.Signing.PrivateKey())
        case .p384: self = .p384(P384.Signing.PrivateKey())
        case .p521: self = .p521(P521.Signing.PrivateKey())
        case .ed25519: self = .ed25519(Curve25519.Signing.PrivateKey())
        }
    }

    /// Creates a key from its private number.
    /// - Parameter scalar: the number, big-endian, padded to the length of the curve's field; for Ed25519 the 32-byte seed.
    /// - Throws: the error of CryptoKit or swift-crypto for a wrong length, or a number that is no key of the curve.
    package init(_ curve: SigningCurve, scalar: Data) throws {
        switch curve {
        case .p256: self = .p256(try P256.Signing.PrivateKey(rawRepresentation: scalar))
        case .p384: self = .p384(try P384.Signing.PrivateKey(rawRepresentation: scalar))
        case .p521: self = .p521(try P521.Signing.PrivateKey(rawRepresentation: scalar))
        case .ed25519: self = .ed25519(try Curve25519.Signing.PrivateKey(rawRepresentation: scalar))
        }
    }

    /// Reads a key in PEM form.
    /// - Parameter pem: the key in PKCS #8 form (RFC 7468 section 10) or SEC 1 form (RFC 5915 section 4).
    /// - Throws: ``CryptographyError`` for Ed25519, which is not supported; the error of CryptoKit or swift-crypto for a
    ///   text that is no key of the curve.
    package init(_ curve: SigningCurve, pem: String) throws {
        switch curve {
        case .p256: self = .p256(try P256.Signing.PrivateKey(pemRepresentation: pem))
        case .p384: self = .p384(try P384.Signing.PrivateKey(pemRepresentation: pem))
        case .p521: self = .p521(try P521.Signing.PrivateKey(pemRepresentation: pem))
        case .ed25519: throw CryptographyError("the curve has no PEM form here")
        }
    }

    /// The private number, in the form that ``init(_:scalar:)`` takes.
    package var scalar: Data {
        switch self {
        case .p256(let key): key.rawRepresentation
        case .p384(let key): key.rawRepresentation
        case .p521(let key): key.rawRepresentation
        case .ed25519(let key): key.rawRepresentation
        }
    }

    package var publicKey: CurvePublicKey {
        switch self {
        case .p256(let key): .p256(key.publicKey)
        case .p384(let key): .p384(key.publicKey)
        case .p521(let key): .p521(key.publicKey)
        case .ed25519(let key): .ed25519(key.publicKey)
        }
    }

    /// Signs `message`.
    /// - Returns: the signature in the form that ``CurvePublicKey/accepts(_:over:)`` takes.
    /// - Throws: the error of CryptoKit or swift-crypto.
    package func signature(over message: Data) throws -> Data {
        switch self {
        case .p256(let key): try key.signature(for: message).rawRepresentation
        case .p384(let key): try key.signature(for: message).rawRepresentation
        case .p521(let key): try key.signature(for: message).rawRepresentation
        case .ed25519(let key): try key.signature(for: message)
        }
    }
}

// MARK: - RSA

/// The two RSA signature schemes (RFC 8017 section 8). A PSS salt is as long as the hash, as RFC 7518 section 3.5
/// requires.
package enum RSAPadding: Sendable, CaseIterable {
    case pkcs1, pss
}

/// Checks that a key with this modulus, big-endian, has at least 2048 bits (RFC 7518 section 3.3).
/// - Throws: ``CryptographyError``.
private func requireRSALength(of modulus: Data) throws {
    let bytes = modulus.drop { $0 == 0 }
    guard bytes.count > 256 || bytes.count == 256 && bytes.first.map({ $0 >= 0x80 }) == true else {
        throw CryptographyError("the RSA key is shorter than 2048 bits")
    }
}

/// An RSA public key of at least 2048 bits.
package struct RSAPublicKey: Sendable {
    #if canImport(CryptoKit)
    private let key: PlatformRSA
    #else
    private let key: _RSA.Signing.PublicKey
    #endif

    /// Creates a key from its modulus and exponent.
    /// - Parameters:
    ///   - modulus: `n`, big-endian.
    ///   - exponent: `e`, big-endian.
    /// - Throws: ``CryptographyError`` for a key of less than 2048 bits (RFC 7518 section 3.3). For numbers that are no
    ///   key, ``CryptographyError`` on Apple's systems, and the error of swift-crypto elsewhere.
    package init(modulus: Data, exponent: Data) throws {
        try requireRSALength(of: modulus)
        #if canImport(CryptoKit)
        key = try PlatformRSA(PKCS1.publicKey(modulus: modulus, exponent: exponent), kSecAttrKeyClassPublic)
        #else
        key = try _RSA.Signing.PublicKey(n: modulus, e: exponent)
        #endif
    }

    package func accepts(_ signature: Data, over message: Data, padding: RSAPadding, hash: HashAlgorithm) -> Bool {
        #if canImport(CryptoKit)
        return SecKeyVerifySignature(
            key.secKey, PlatformRSA.algorithm(padding, hash), message as CFData, signature as CFData, nil)
        #else
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return key.isValidSignature(signature, for: hash.digest(of: message), padding: padding.platform)
        #endif
    }
}

package struct RSASigningKey: Sendable {
    #if canImport(CryptoKit)
    private let key: PlatformRSA
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
        key = try PlatformRSA()
        (modulus, exponent) = try key.publicNumbers
        #else
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let primitives = try key.publicKey.getKeyPrimitives()
        (modulus, exponent) = (primitives.modulus, primitives.publicExponent)
        #endif
    }

    /// Reads a key pair in PKCS #1 form (RFC 8017 appendix A.1.2).
    /// - Throws: ``CryptographyError`` on Apple's systems, and the error of swift-crypto elsewhere, for data that is no
    ///   key or a key of less than 2048 bits.
    package init(pkcs1 encoded: Data) throws {
        #if canImport(CryptoKit)
        key = try PlatformRSA(encoded, kSecAttrKeyClassPrivate)
        (modulus, exponent) = try key.publicNumbers
        try requireRSALength(of: modulus)
        #else
        key = try _RSA.Signing.PrivateKey(derRepresentation: encoded)
        let primitives = try key.publicKey.getKeyPrimitives()
        (modulus, exponent) = (primitives.modulus, primitives.publicExponent)
        #endif
    }

    /// The key pair in PKCS #1 form (RFC 8017 appendix A.1.2).
    /// - Throws: ``CryptographyError`` when Apple's Security framework does not export it.
    package var pkcs1: Data {
        get throws {
            #if canImport(CryptoKit)
            guard let encoded = SecKeyCopyExternalRepresentation(key.secKey, nil) as Data? else {
                throw CryptographyError("the RSA key cannot be exported")
            }
            return encoded
            #else
            return key.derRepresentation
            #endif
        }
    }

    /// The signature over `bytes`; by default JWS `RS256` (RFC 7518 section 3.3).
    package func signature(
        over bytes: Data, padding: RSAPadding = .pkcs1, hash: HashAlgorithm = .sha256
    ) throws -> Data {
        #if canImport(CryptoKit)
        let signature =
            SecKeyCreateSignature(key.secKey, PlatformRSA.algorithm(padding, hash), bytes as CFData, nil) as Data?
        guard let signature else { throw CryptographyError("the RSA signature could not be made") }
        return signature
        #else
        return try key.signature(for: hash.digest(of: bytes), padding: padding.platform).rawRepresentation
        #endif
    }
}

#if canImport(CryptoKit)
/// An RSA key of Apple's Security framework, public or private.
///
/// Unchecked conformance is sound: a `SecKey` is immutable and may be used from any thread. Older SDKs do not declare
/// `SecKey` as `Sendable`. Newer SDKs do, and reject `nonisolated(unsafe)` for a `SecKey`.
private struct PlatformRSA: @unchecked Sendable {
    let secKey: SecKey

    init(_ encoded: Data, _ keyClass: CFString) throws {
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeyClass as String: keyClass,
        ]
        guard let key = SecKeyCreateWithData(encoded as CFData, attributes as CFDictionary, nil) else {
            throw CryptographyError("the RSA key is malformed")
        }
        secKey = key
    }

    /// A fresh key pair of 2048 bits.
    init() throws {
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: 2048,
        ]
        guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, nil) else {
            throw CryptographyError("no RSA key pair could be generated")
        }
        secKey = key
    }

    var publicNumbers: (modulus: Data, exponent: Data) {
        get throws {
            guard let publicKey = SecKeyCopyPublicKey(secKey),
                let encoded = SecKeyCopyExternalRepresentation(publicKey, nil) as Data?
            else { throw CryptographyError("the RSA public key cannot be exported") }
            let numbers = try PKCS1.integers(in: encoded)
            guard numbers.count == 2 else { throw CryptographyError("the RSA public key is not in PKCS #1 form") }
            return (numbers[0], numbers[1])
        }
    }

    static func algorithm(_ padding: RSAPadding, _ hash: HashAlgorithm) -> SecKeyAlgorithm {
        switch (padding, hash) {
        case (.pkcs1, .sha256): .rsaSignatureMessagePKCS1v15SHA256
        case (.pkcs1, .sha384): .rsaSignatureMessagePKCS1v15SHA384
        case (.pkcs1, .sha512): .rsaSignatureMessagePKCS1v15SHA512
        case (.pss, .sha256): .rsaSignatureMessagePSSSHA256
        case (.pss, .sha384): .rsaSignatureMessagePSSSHA384
        case (.pss, .sha512): .rsaSignatureMessagePSSSHA512
        }
    }
}
#else
extension RSAPadding {
    fileprivate var platform: _RSA.Signing.Padding {
        switch self {
        case .pkcs1: .insecurePKCS1v1_5
        case .pss: .PSS
        }
    }
}
#endif
