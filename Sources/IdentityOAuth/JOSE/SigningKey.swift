import Foundation
import IdentityKit

/// A private key of this client, with its algorithm, for `private_key_jwt`, signed authorization requests and DPoP.
///
/// Printing a key shows no private number.
public struct SigningKey: Sendable {
    package let algorithm: SigningAlgorithm
    package let publicKey: JSONWebKey

    private let material: Material

    private enum Material: Sendable {
        case rsa(RSASigningKey, encoded: Secret)
        case curve(CurvePrivateKey)
        #if canImport(CryptoKit) && !os(visionOS)
        case enclave(EnclaveKey)
        #endif
    }

    /// The name of the JWK member for a key in the Secure Enclave. The member is the encrypted key, which only this device
    /// can use.
    private static let enclaveMember = "secureEnclave"

    /// Makes a fresh key.
    /// - Parameters:
    ///   - algorithm: an ECDSA or EdDSA algorithm. RSA keys can only be imported.
    ///   - keyID: the `kid`; `nil` for none.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for any other algorithm.
    public init(_ algorithm: SigningAlgorithm = .es256, keyID: String? = nil) throws {
        guard case .curve(let curve) = algorithm.scheme else {
            throw OAuthError.invalidSetting(.unusableKey)
        }
        let key = CurvePrivateKey(curve)
        self.algorithm = algorithm
        material = .curve(key)
        publicKey = try Self.publicKey(at: key.publicKey.point, on: curve, keyID: keyID)
    }

    /// Imports a private key in PEM form (RFC 7468). A key on P-256, P-384 or P-521 is in PKCS #8, such as the keys that
    /// Apple issues, or in SEC 1. An RSA key is in PKCS #8 or PKCS #1.
    /// - Parameters:
    ///   - pem: the text of the file.
    ///   - keyID: the `kid`; `nil` for none.
    ///   - algorithm: the signature algorithm; `nil` for ES256, ES384 or ES512 by the curve, and for RS256 with an RSA key.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the text is no such key, or the key has a password, is weak, or does
    ///   not fit the algorithm.
    public init(pem: Secret, keyID: String? = nil, algorithm: SigningAlgorithm? = nil) throws {
        let curves: [(SigningCurve, SigningAlgorithm)] = [(.p256, .es256), (.p384, .es384), (.p521, .es512)]
        for (curve, usual) in curves {
            guard let key = try? CurvePrivateKey(curve, pem: pem.reveal()) else { continue }
            guard algorithm ?? usual == usual else { throw OAuthError.invalidSetting(.unusableKey) }
            self.algorithm = usual
            material = .curve(key)
            publicKey = try Self.publicKey(at: key.publicKey.point, on: curve, keyID: keyID)
            return
        }
        guard var members = try? RSAKeyPEM.members(pem.reveal()) else { throw OAuthError.invalidSetting(.unusableKey) }
        members["kid"] = keyID.map(JSONValue.string)
        self = try SigningKey(
            jwk: Secret(String(decoding: Self.json(members), as: UTF8.self)), algorithm: algorithm)
    }

    /// Makes a fresh ES256 key in the Secure Enclave, which the private number never leaves. If the enclave makes no key, the
    /// key is made in software.
    /// - Throws: ``OAuthError/invalidToken(_:)`` when the system returns a key with an invalid public point.
    static func ofThisDevice() throws -> SigningKey {
        #if canImport(CryptoKit) && !os(visionOS)
        if let key = try? EnclaveKey() { return try SigningKey(key) }
        #endif
        return try SigningKey()
    }

    #if canImport(CryptoKit) && !os(visionOS)
    private init(_ key: EnclaveKey) throws {
        algorithm = .es256
        material = .enclave(key)
        publicKey = try Self.publicKey(at: key.point, on: .p256, keyID: nil)
    }
    #endif

    /// Imports a private key in JWK form (RFC 7517, RFC 7518 section 6, RFC 8037 section 2).
    /// - Parameters:
    ///   - jwk: the JSON text of the key. An RSA key must include its primes, exponents and coefficient.
    ///   - algorithm: the signature algorithm; `nil` for the key's `alg`. A key without `alg` then gets RS256, EdDSA,
    ///     ES256, ES384 or ES512 by its type and curve. Ignored for a key of the Secure Enclave, which always signs
    ///     with ES256.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the text is no private key, or the key is weak or does not fit the
    ///   algorithm.
    public init(jwk: Secret, algorithm: SigningAlgorithm? = nil) throws {
        do {
            let members = try StrictJSON.parseObject(Data(jwk.reveal().utf8))
            if members[Self.enclaveMember] != nil {
                self = try Self.enclaveKey(members)
                return
            }
            publicKey = try JSONWebKey(members: members)
            let algorithm = algorithm ?? publicKey.algorithm ?? Self.usualAlgorithm(of: members)
            guard let scheme = algorithm.scheme, publicKey.material.fits(scheme) else {
                throw CryptographyError("the algorithm does not fit the key")
            }
            self.algorithm = algorithm
            switch scheme {
            case .rsa:
                let numbers = try ["n", "e", "d", "p", "q", "dp", "dq", "qi"].map {
                    try KeyMaterial.number($0, in: members)
                }
                material = .rsa(try RSASigningKey(pkcs1: PKCS1.privateKey(numbers)), encoded: jwk)
            case .curve(let curve):
                let key = try CurvePrivateKey(curve, scalar: KeyMaterial.number("d", in: members))
                guard case .curve(_, let published) = publicKey.material, published.point == key.publicKey.point else {
                    throw CryptographyError("the public half belongs to another key")
                }
                material = .curve(key)
            }
        } catch OAuthError.invalidToken(.weakKey) {
            throw OAuthError.invalidSetting(.weakKey)
        } catch {
            throw OAuthError.invalidSetting(.unusableKey)
        }
    }

    /// Restores a key of this device's Secure Enclave from the members of its ``jwk``.
    /// - Throws: ``CryptographyError`` when the platform supports no such keys or the member is malformed, or what CryptoKit
    ///   throws.
    private static func enclaveKey(_ members: [String: JSONValue]) throws -> SigningKey {
        #if canImport(CryptoKit) && !os(visionOS)
        return try SigningKey(EnclaveKey(representation: KeyMaterial.number(enclaveMember, in: members)))
        #else
        throw CryptographyError("the key is in a Secure Enclave")
        #endif
    }

    /// The private key in JWK form, to be kept in a store that encrypts its content. For an RSA key, this is the JWK that was
    /// imported or made from the PEM form, whose `alg` may be absent or differ from ``algorithm``. For a key in the Secure
    /// Enclave, an encrypted form that only this device can use replaces the private number.
    package var jwk: Secret {
        switch material {
        case .rsa(_, let encoded): return encoded
        case .curve(let key):
            var members = publicKey.members
            members["d"] = .string(Base64URL.encode(key.scalar))
            members["alg"] = .string(algorithm.rawValue)
            return Secret(String(decoding: Self.json(members), as: UTF8.self))
        #if canImport(CryptoKit) && !os(visionOS)
        case .enclave(let key):
            var members = publicKey.members
            members[Self.enclaveMember] = .string(Base64URL.encode(key.representation))
            return Secret(String(decoding: Self.json(members), as: UTF8.self))
        #endif
        }
    }

    /// Creates a JWT with `claims` in compact form. `alg` is added to `header`.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the platform refuses to sign, or for a number that JSON cannot write.
    func token(header: [String: JSONValue] = [:], claims: [String: JSONValue]) throws -> Secret {
        try JSONWebToken.signed(header: header, claims: claims, by: algorithm, signature)
    }

    private func signature(over message: Data) throws -> Data {
        do {
            switch (material, algorithm.scheme) {
            case (.rsa(let key, _), .rsa(let padding, let hash)):
                return try key.signature(over: message, padding: padding, hash: hash)
            case (.curve(let key), _):
                return try key.signature(over: message)
            #if canImport(CryptoKit) && !os(visionOS)
            case (.enclave(let key), _):
                return try key.signature(over: message)
            #endif
            default:
                throw CryptographyError("the algorithm does not fit the key")
            }
        } catch {
            throw OAuthError.invalidSetting(.unusableKey)
        }
    }

    private static func json(_ members: [String: JSONValue]) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // The members are strings made here or values read from JSON, which always encode.
        return (try? encoder.encode(members)) ?? Data()
    }

    private static func usualAlgorithm(of members: [String: JSONValue]) -> SigningAlgorithm {
        switch (members["kty"], members["crv"]) {
        case ("EC", "P-384"): .es384
        case ("EC", "P-521"): .es512
        case ("EC", _): .es256
        case ("OKP", _): .edDSA
        default: .rs256
        }
    }

    private static func publicKey(at point: Data, on curve: SigningCurve, keyID: String?) throws -> JSONWebKey {
        var members: [String: JSONValue]
        switch curve {
        case .ed25519:
            members = ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(point))]
        case .p256, .p384, .p521:
            members = [
                "kty": "EC", "crv": curve == .p256 ? "P-256" : curve == .p384 ? "P-384" : "P-521",
                "x": .string(Base64URL.encode(point.prefix(point.count / 2))),
                "y": .string(Base64URL.encode(point.suffix(point.count / 2))),
            ]
        }
        members["kid"] = keyID.map(JSONValue.string)
        return try JSONWebKey(members: members)
    }
}

extension SigningKey: CustomStringConvertible, Reticent {
    /// The algorithm, and the thumbprint of the public key (RFC 7638).
    public var description: String { "\(algorithm) key \(publicKey.thumbprint)" }
    /// Shows no children, so that `dump` and debuggers see nothing private.
    package var shown: KeyValuePairs<String, Any> { [:] }
}
