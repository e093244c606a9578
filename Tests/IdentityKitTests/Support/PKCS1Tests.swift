import Foundation
import IdentityKit
import Testing

@Suite("RSA keys in PKCS #1 form (RFC 8017 appendix A.1)")
struct PKCS1Tests {
    @Test("integers survive the encoding, with a leading zero where the first bit is set")
    func roundTrip() throws {
        let modulus = Data([0x80] + (0..<255).map { UInt8($0) })
        let exponent = Data([1, 0, 1])
        let encoded = PKCS1.publicKey(modulus: Data([0, 0]) + modulus, exponent: exponent)
        #expect(encoded.prefix(9) == Data([0x30, 0x82, 0x01, 0x0A, 0x02, 0x82, 0x01, 0x01, 0x00]))
        #expect(try PKCS1.integers(in: encoded) == [modulus, exponent])
        #expect(
            try PKCS1.integers(in: PKCS1.privateKey([exponent, Data([0x7F])])) == [Data(), exponent, Data([0x7F])])
    }

    @Test(
        "anything else is refused",
        arguments: [
            [], [0x30], [0x30, 0x03, 0x02, 0x01], [0x31, 0x03, 0x02, 0x01, 0x05], [0x30, 0x03, 0x04, 0x01, 0x05],
            [0x30, 0x80, 0x02, 0x01, 0x05], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x03, 0x02, 0x01, 0x05, 0x00],
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) {
        #expect(throws: CryptographyError.self) { try PKCS1.integers(in: Data(bytes)) }
    }
}
