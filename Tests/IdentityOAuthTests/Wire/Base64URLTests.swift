import Foundation
import IdentityOAuth
import Testing

@Suite("Base64url (RFC 7515 appendix C)")
struct Base64URLTests {
    @Test("RFC 7515 appendix C: the published octets encode and decode")
    func publishedVector() {
        #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
        #expect(Base64URL.decode("A-z_4ME") == Data([3, 236, 255, 224, 193]))
    }

    @Test("every length round-trips", arguments: 0...9)
    func roundTrip(count: Int) {
        let bytes = Data((0..<count).map { UInt8(250 - 31 * $0) })
        #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }

    @Test(
        "RFC 7515 section 2: padding, spaces and the standard alphabet are refused",
        arguments: ["QQ==", "QQ=", "Q Q", "QQ\n", "+/+/", "Q", "QQQQQ", "QÄ"])
    func malformed(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("RFC 4648 section 3.5: bits that no byte uses must be zero", arguments: ["QR", "QUF", "QQ_"])
    func trailingBits(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
