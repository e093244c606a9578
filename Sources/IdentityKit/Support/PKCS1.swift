import Foundation

/// Encodes and decodes RSA keys in the formats of RFC 8017 appendix A.1: `RSAPublicKey` and `RSAPrivateKey`, both DER
/// sequences of integers. The `SecKey` functions of Apple's Security framework use these formats for RSA keys.
package enum PKCS1 {
    /// Encodes an `RSAPublicKey` (RFC 8017 appendix A.1.1).
    package static func publicKey(modulus: Data, exponent: Data) -> Data {
        sequence([modulus, exponent])
    }

    /// Encodes an `RSAPrivateKey` of two primes (RFC 8017 appendix A.1.2).
    /// - Parameter numbers: `n`, `e`, `d`, `p`, `q`, `d mod (p-1)`, `d mod (q-1)` and `q⁻¹ mod p`, big-endian.
    package static func privateKey(_ numbers: [Data]) -> Data {
        sequence([Data([0])] + numbers)
    }

    /// Decodes a DER sequence of integers. Each integer is returned big-endian and without leading zeros.
    /// - Throws: ``CryptographyError`` for any other encoding.
    package static func integers(in encoded: Data) throws -> [Data] {
        var outer = encoded[...]
        var rest = try content(ofTag: 0x30, in: &outer)
        guard outer.isEmpty else { throw CryptographyError("something follows the RSA key") }
        var integers: [Data] = []
        while !rest.isEmpty { integers.append(trimmed(try content(ofTag: 0x02, in: &rest))) }
        return integers
    }

    /// Extracts the encoded `RSAPrivateKey` from a `OneAsymmetricKey` (RFC 5958 section 2) of the algorithm
    /// `rsaEncryption`.
    /// - Throws: ``CryptographyError`` for any other encoding or algorithm.
    package static func privateKey(inPKCS8 encoded: Data) throws -> Data {
        // Object identifier 1.2.840.113549.1.1.1 (RFC 8017 appendix C).
        let rsaEncryption = Data([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01])
        var outer = encoded[...]
        var rest = try content(ofTag: 0x30, in: &outer)
        _ = try content(ofTag: 0x02, in: &rest)
        var algorithm = try content(ofTag: 0x30, in: &rest)
        guard outer.isEmpty, try content(ofTag: 0x06, in: &algorithm) == rsaEncryption else {
            throw CryptographyError("the key is no RSA key in PKCS #8 form")
        }
        return try content(ofTag: 0x04, in: &rest)
    }

    private static func sequence(_ integers: [Data]) -> Data {
        let body = integers.reduce(into: Data()) { body, integer in
            let magnitude = trimmed(integer)
            // DER integers are signed, so a leading one bit would make this number negative.
            let needsZero = magnitude.first.map { $0 >= 0x80 } ?? true
            body += element(tag: 0x02, (needsZero ? Data([0]) : Data()) + magnitude)
        }
        return element(tag: 0x30, body)
    }

    private static func element(tag: UInt8, _ content: Data) -> Data {
        var length = [UInt8(truncatingIfNeeded: content.count)]
        if content.count >= 0x80 {
            var rest = content.count >> 8
            while rest > 0 {
                length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
                rest >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return Data([tag] + length) + content
    }

    private static func content(ofTag tag: UInt8, in rest: inout Data) throws -> Data {
        guard rest.popFirst() == tag, let first = rest.popFirst() else {
            throw CryptographyError("the RSA key is not in PKCS #1 form")
        }
        var length = Int(first)
        if first & 0x80 != 0 {
            let count = Int(first & 0x7F)
            guard 1...3 ~= count, rest.count >= count else { throw CryptographyError("the RSA key is truncated") }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { throw CryptographyError("the RSA key is truncated") }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }

    private static func trimmed(_ integer: Data) -> Data {
        Data(integer.drop { $0 == 0 })
    }
}
