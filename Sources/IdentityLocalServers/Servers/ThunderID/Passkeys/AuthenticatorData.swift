import Foundation
import IdentityKit

/// Data that an authenticator signs (Web Authentication section 6.1).
struct AuthenticatorData: Sendable {
    struct Credential: Sendable {
        let id: Data
        let publicKey: CurvePublicKey
    }

    enum Flag {
        static let userPresent: UInt8 = 0x01
        static let userVerified: UInt8 = 0x04
        static let hasCredential: UInt8 = 0x40
    }

    let relyingPartyHash: Data
    let flags: UInt8
    let signatureCount: UInt32
    let credential: Credential?

    var isUserPresent: Bool { flags & Flag.userPresent != 0 }
    var isUserVerified: Bool { flags & Flag.userVerified != 0 }

    /// Decodes authenticator data; `nil` if it is truncated, or if it has a credential without a valid ES256 public key.
    init?(_ bytes: Data) {
        let bytes = Data(bytes)
        guard bytes.count >= 37 else { return nil }
        relyingPartyHash = bytes.prefix(32)
        flags = bytes[32]
        signatureCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        guard flags & Flag.hasCredential != 0 else {
            credential = nil
            return
        }
        // An AAGUID of 16 bytes and the identifier's length in 2 bytes precede the credential identifier.
        guard bytes.count >= 55 else { return nil }
        let length = Int(bytes[53]) << 8 | Int(bytes[54])
        guard bytes.count > 55 + length, let key = CBORValue(decoding: bytes.dropFirst(55 + length)),
            let publicKey = Self.publicKey(key)
        else { return nil }
        credential = Credential(id: bytes[55..<55 + length], publicKey: publicKey)
    }

    /// The public key of a COSE key for ES256 (RFC 9053 section 7.1): `kty` 2, `alg` -7 and `crv` 1; `nil` for any other key.
    private static func publicKey(_ key: CBORValue) -> CurvePublicKey? {
        guard key[1] == .integer(2), key[3] == .integer(-7), key[-1] == .integer(1),
            case .bytes(let x)? = key[-2], case .bytes(let y)? = key[-3]
        else { return nil }
        return try? CurvePublicKey(.p256, point: x + y)
    }
}

/// Conversion between the two forms of an ECDSA signature on P-256. JWS uses the numbers `r` and `s` concatenated. Web
/// Authentication uses a DER sequence of both (X9.62).
enum ECDSASignature {
    private static let length = 32

    /// The concatenated form; `nil` if `der` is not a sequence of two integers of at most 32 bytes.
    static func raw(fromDER der: Data) -> Data? {
        let bytes = [UInt8](der)
        guard bytes.count > 2, bytes[0] == 0x30, Int(bytes[1]) == bytes.count - 2 else { return nil }
        var rest = bytes[2...]
        var raw = Data()
        for _ in 0..<2 {
            guard rest.count > 2, rest.removeFirst() == 0x02 else { return nil }
            let count = Int(rest.removeFirst())
            guard count > 0, count <= rest.count else { return nil }
            let number = rest.prefix(count).drop { $0 == 0 }
            guard number.count <= length else { return nil }
            raw += Data(repeating: 0, count: length - number.count) + number
            rest = rest.dropFirst(count)
        }
        return rest.isEmpty ? raw : nil
    }

    static func der(fromRaw raw: Data) -> Data {
        let numbers = [raw.prefix(length), raw.suffix(length)].map { half -> Data in
            let digits = half.drop { $0 == 0 }
            let needsSign = digits.first.map { $0 & 0x80 != 0 } ?? true
            let content = (needsSign ? Data([0]) : Data()) + digits
            return Data([0x02, UInt8(content.count)]) + content
        }
        let content = numbers.reduce(Data(), +)
        return Data([0x30, UInt8(content.count)]) + content
    }
}
