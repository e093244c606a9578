import Foundation
import IdentityKit

/// A public key for signatures (RFC 7517, RFC 7518 section 6, RFC 8037 section 2).
///
/// The numbers of the key are decoded once, so that each verification costs only the check of the signature.
package struct JSONWebKey: Sendable {
    package let members: [String: JSONValue]
    let material: KeyMaterial

    /// Imports a key. Private members are dropped.
    /// - Throws: ``OAuthError/invalidToken(_:)`` with ``InvalidTokenReason/unusableKey`` when the type or curve is
    ///   unknown, a number is missing or malformed, an RSA modulus has less than 256 or more than 1024 bytes, a
    ///   coordinate has the wrong length, or an `EC` point is not on its curve. With ``InvalidTokenReason/weakKey`` for
    ///   an RSA key that has an exponent below 2^16 or comes from the generator of CVE-2017-15361 ("ROCA"), and for an
    ///   Ed25519 point of small order.
    package init(members: [String: JSONValue]) throws {
        self.members = members.filter { !Self.privateMembers.contains($0.key) }
        material = try KeyMaterial(members)
    }

    /// The `kty`: `RSA`, `EC` or `OKP`.
    package var keyType: String? { members["kty"]?.stringValue }
    package var keyID: String? { members["kid"]?.stringValue }
    /// The only algorithm that the key may be used with (`alg`); `nil` if the key names none.
    package var algorithm: SigningAlgorithm? { members["alg"]?.stringValue.map(SigningAlgorithm.init(rawValue:)) }

    /// Whether the key may verify signatures by `algorithm`: its type and curve fit, and none of its `alg`, `use` and
    /// `key_ops` forbids the use (RFC 7517 sections 4.2 to 4.4).
    package func canVerify(_ algorithm: SigningAlgorithm) -> Bool {
        guard fits(algorithm), isForSignatures else { return false }
        return self.algorithm?.isSameAlgorithm(as: algorithm) ?? true
    }

    func fits(_ algorithm: SigningAlgorithm) -> Bool {
        algorithm.scheme.map(material.fits) ?? false
    }

    /// Whether `use` and `key_ops` permit the key to verify signatures. An absent or `null` member permits it.
    var isForSignatures: Bool {
        if let use = members["use"], use != .null, use != "sig" { return false }
        return members["key_ops"]?.arrayValue?.contains("verify") ?? true
    }

    /// The SHA-256 thumbprint in base64url (RFC 7638). It depends only on the ``requiredMembers``, not on `kid` or `alg`.
    package var thumbprint: String {
        let members = requiredMembers.sorted { $0.key < $1.key }
        let json = members.map { "\"\($0.key)\":\"\($0.value.stringValue ?? "")\"" }.joined(separator: ",")
        return Base64URL.encode(sha256(Data("{\(json)}".utf8)))
    }

    /// The members that define the key, for its thumbprint (RFC 7638 section 3.2, RFC 8037 section 2).
    var requiredMembers: [String: JSONValue] {
        let names: Set =
            switch keyType {
            case "RSA": ["kty", "n", "e"]
            case "EC": ["kty", "crv", "x", "y"]
            default: ["kty", "crv", "x"]
            }
        return members.filter { names.contains($0.key) }
    }

    private static let privateMembers: Set = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
}

extension JSONWebKey: Hashable {
    /// Whether both have the same public members.
    package static func == (left: JSONWebKey, right: JSONWebKey) -> Bool { left.members == right.members }

    /// Hashes the public members.
    package func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

enum KeyMaterial: Sendable {
    case rsa(RSAPublicKey, modulus: Data, exponent: Data)
    case curve(SigningCurve, CurvePublicKey)

    init(_ members: [String: JSONValue]) throws {
        do {
            switch members["kty"] {
            case "RSA":
                // Some libraries put a leading zero byte before a number (RFC 7518 section 6.3.1.1).
                let modulus = Data(try Self.number("n", in: members).drop { $0 == 0 })
                let exponent = Data(try Self.number("e", in: members).drop { $0 == 0 })
                guard modulus.count <= 1024 else { throw CryptographyError("the RSA key is longer than 8192 bits") }
                let key = try RSAPublicKey(modulus: modulus, exponent: exponent)
                // Test the fingerprint only after the initializer above has refused short moduli. Some short moduli, such
                // as 65537, match it although no flawed generator made them. Exponents below 2^16 are refused (NIST SP
                // 800-56B section 6.2), because with a small exponent a careless verifier accepts forged signatures.
                guard exponent.count > 2, !ROCAFingerprint.matches(modulus: modulus) else {
                    throw OAuthError.invalidToken(.weakKey)
                }
                self = .rsa(key, modulus: modulus, exponent: exponent)
            case "EC":
                let (curve, size) = try Self.curve(members["crv"])
                let (x, y) = (try Self.number("x", in: members), try Self.number("y", in: members))
                guard x.count == size, y.count == size else { throw CryptographyError("a coordinate is too short") }
                self = .curve(curve, try CurvePublicKey(curve, point: x + y))
            case "OKP":
                guard members["crv"] == "Ed25519" else { throw CryptographyError("the curve is unknown") }
                let point = try Self.number("x", in: members)
                self = .curve(.ed25519, try CurvePublicKey(.ed25519, point: point))
                guard !SmallOrderPoint.matches(point) else { throw OAuthError.invalidToken(.weakKey) }
            default:
                throw CryptographyError("the key type is unknown")
            }
        } catch let error as OAuthError {
            throw error
        } catch {
            throw OAuthError.invalidToken(.unusableKey)
        }
    }

    func fits(_ scheme: SignatureScheme) -> Bool {
        switch (self, scheme) {
        case (.rsa, .rsa): true
        case (.curve(let own, _), .curve(let asked)): own == asked
        default: false
        }
    }

    func isSameKey(as other: KeyMaterial) -> Bool {
        switch (self, other) {
        case (.rsa(_, let modulus, let exponent), .rsa(_, let otherModulus, let otherExponent)):
            modulus == otherModulus && exponent == otherExponent
        case (.curve(let curve, let key), .curve(let otherCurve, let otherKey)):
            curve == otherCurve && key.point == otherKey.point
        default: false
        }
    }

    func accepts(_ signature: Data, over message: Data, by scheme: SignatureScheme) -> Bool {
        switch (self, scheme) {
        case (.rsa(let key, _, _), .rsa(let padding, let hash)):
            key.accepts(signature, over: message, padding: padding, hash: hash)
        case (.curve(let own, let key), .curve(let asked)) where own == asked:
            key.accepts(signature, over: message)
        default: false
        }
    }

    /// Returns the curve named `name`, and the length of its coordinates in bytes (RFC 7518 section 6.2.1).
    /// - Throws: ``CryptographyError`` for any other name.
    static func curve(_ name: JSONValue?) throws -> (SigningCurve, Int) {
        switch name {
        case "P-256": (.p256, 32)
        case "P-384": (.p384, 48)
        case "P-521": (.p521, 66)
        default: throw CryptographyError("the curve is unknown")
        }
    }

    static func number(_ name: String, in members: [String: JSONValue]) throws -> Data {
        // Padding is not allowed here (RFC 7518 section 2), but some servers send it, and it does not change the number.
        var text = members[name]?.stringValue?.utf8[...] ?? ""[...].utf8
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        guard let bytes = Base64URL.decode(text), !bytes.isEmpty else {
            throw CryptographyError("\(name) is missing or malformed")
        }
        return bytes
    }
}

extension JSONWebKey: Reticent {
    /// Shows type, algorithm and identifier of the key.
    package var shown: KeyValuePairs<String, Any> {
        [
            "keyType": keyType as Any,
            "keyID": keyID as Any,
            "algorithm": algorithm?.rawValue as Any,
        ]
    }
}
