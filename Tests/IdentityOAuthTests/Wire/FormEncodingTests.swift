import Foundation
import IdentityOAuth
import Testing

@Suite("Form encoding (RFC 6749 appendix B)")
struct FormEncodingTests {
    @Test("RFC 6749 appendix B: the published string is encoded as published")
    func publishedVector() {
        let text = " %&+\u{A3}\u{20AC}"
        #expect(FormEncoding.encode(text) == "+%25%26%2B%C2%A3%E2%82%AC")
        #expect(FormEncoding.decode("a=+%25%26%2B%C2%A3%E2%82%AC") == [FormField("a", text)])
    }

    @Test("order and repetition survive a round trip")
    func order() {
        let fields = [FormField("b", "1"), FormField("a", ""), FormField("b", "2"), FormField("c d", "=&+")]
        #expect(FormEncoding.decode(FormEncoding.encode(fields)) == fields)
    }

    @Test(
        "what a decoder meets",
        arguments: [
            ("", []),
            ("&&a=1&", [FormField("a", "1")]),
            ("a", [FormField("a", "")]),
            ("a=b=c", [FormField("a", "b=c")]),
            ("a=%e4%bd%a0", [FormField("a", "你")]),
            ("a=1+2%2B3", [FormField("a", "1 2+3")]),
        ])
    func decoding(text: String, fields: [FormField]) {
        #expect(FormEncoding.decode(text) == fields)
    }

    @Test(
        "a broken escape or broken UTF-8 is refused, not guessed at",
        arguments: ["a=%", "a=%4", "a=%zz", "a=%FF", "%C3=1"])
    func malformed(text: String) {
        #expect(FormEncoding.decode(text) == nil)
    }

    @Test("a text with so many combining marks in a row that comparing it takes long is refused")
    func marks() {
        #expect(FormEncoding.decode(String(repeating: "%CC%81", count: 256))?.count == 1)
        #expect(FormEncoding.decode(String(repeating: "%CC%81", count: 257)) == nil)
        #expect(FormEncoding.decode("a=" + String(repeating: "\u{301}", count: 257)) == nil)
    }

    @Test("a field prints its name and not its value")
    func redaction() {
        let field = FormField("refresh_token", "planted")
        var dumped = ""
        dump(field, to: &dumped)
        #expect(!"\(field) \(String(reflecting: field)) \(dumped)".contains("planted"))
    }
}
