import Foundation
import IdentityKit

/// A minimal X.509 certificate (RFC 5280 section 4.1) of a signing key. The key's JWK contains the certificate (`x5c`) and
/// its thumbprints.
enum SelfSignedCertificate {
    /// Returns a certificate in DER that `key` signs and that is valid for 365 days from `date`.
    static func make(for key: KeyPair, commonName: String, at date: Date) throws -> Data {
        let name = DER.sequence(DER.set(DER.sequence(commonNameIdentifier, DER.utf8String(commonName))))
        let toBeSigned = DER.sequence(
            DER.explicit(0, DER.integer(Data([2]))),
            DER.integer(Data(UUID().uuidString.utf8.prefix(16))),
            algorithm(of: key),
            name,
            DER.sequence(DER.time(date), DER.time(date + 365 * 86_400)),
            name,
            publicKeyInfo(key))
        return DER.sequence(toBeSigned, algorithm(of: key), DER.bitString(try signature(by: key, over: toBeSigned)))
    }

    private static func algorithm(of key: KeyPair) -> Data {
        switch key {
        case .rsa: sha256WithRSA
        case .curve: DER.sequence(ecdsaWithSHA256)
        }
    }

    private static func signature(by key: KeyPair, over bytes: Data) throws -> Data {
        switch key {
        case .rsa(let key): try key.signature(over: bytes)
        case .curve(let key): ECDSASignature.der(fromRaw: try key.signature(over: bytes))
        }
    }

    private static func publicKeyInfo(_ key: KeyPair) -> Data {
        switch key {
        case .rsa(let key):
            DER.sequence(
                DER.sequence(rsaEncryption, DER.null),
                DER.bitString(DER.sequence(DER.integer(key.modulus), DER.integer(key.exponent))))
        case .curve(let key):
            // Begin with the byte 4, which means an uncompressed point: both coordinates follow (RFC 5480 section 2.2).
            DER.sequence(DER.sequence(ecPublicKey, prime256v1), DER.bitString(Data([4]) + key.publicKey.point))
        }
    }

    private static let commonNameIdentifier = DER.objectIdentifier([0x55, 0x04, 0x03])
    private static let rsaEncryption = DER.objectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01])
    private static let sha256WithRSA = DER.sequence(
        DER.objectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B]), DER.null)
    private static let ecPublicKey = DER.objectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01])
    private static let prime256v1 = DER.objectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
    private static let ecdsaWithSHA256 = DER.objectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])
}

/// Encoders for those types of DER values (X.690) that the certificate contains.
private enum DER {
    static let null = Data([0x05, 0x00])

    static func sequence(_ parts: Data...) -> Data { element(0x30, parts.reduce(Data(), +)) }
    static func set(_ content: Data) -> Data { element(0x31, content) }
    static func explicit(_ number: UInt8, _ content: Data) -> Data { element(0xA0 | number, content) }
    static func objectIdentifier(_ encoded: [UInt8]) -> Data { element(0x06, Data(encoded)) }
    static func utf8String(_ text: String) -> Data { element(0x0C, Data(text.utf8)) }
    static func bitString(_ bytes: Data) -> Data { element(0x03, Data([0]) + bytes) }

    /// Encodes a non-negative integer from its big-endian bytes. A zero byte precedes them if the first bit is set, because
    /// the integer would be negative otherwise.
    static func integer(_ bytes: Data) -> Data {
        let needsSign = bytes.first.map { $0 & 0x80 != 0 } ?? true
        return element(0x02, (needsSign ? Data([0]) : Data()) + bytes)
    }

    static func time(_ date: Date) -> Data {
        let digits = date.formatted(.iso8601).filter { $0.isNumber || $0 == "Z" }
        return element(0x18, Data(digits.utf8))
    }

    private static func element(_ tag: UInt8, _ content: Data) -> Data {
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        let header = content.count < 0x80 ? [UInt8(content.count)] : [0x80 | UInt8(length.count)] + length
        return Data([tag] + header) + content
    }
}
