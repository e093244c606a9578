import Foundation
import IdentityKit
import Testing

@testable import IdentityOAuth

@Suite("Strict JSON (RFC 8259)")
struct StrictJSONTests {
    @Test(
        "values",
        arguments: [
            ("null", .null), (" true ", true), ("[false]", [false]), ("0", 0), ("-12", -12),
            ("9223372036854775807", .integer(.max)), ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("1.5e2", .integer(150)), ("1E-1", .number(0.1)), (#""""#, ""),
            (#""a\"\\\/\b\f\n\r\tb""#, .string("a\"\\/\u{8}\u{C}\n\r\tb")), (#""\u00e9\ud83d\ude00!""#, "é😀!"),
            (#""ü😀""#, "ü😀"), (#"{"a":{"b":[1,2]},"c":"d"}"#, ["a": ["b": [1, 2]], "c": "d"]),
            ("[ ]", []), ("{ }", [:]),
        ] as [(String, JSONValue)])
    func values(text: String, value: JSONValue) throws {
        #expect(try StrictJSON.parse(Data(text.utf8)) == value)
    }

    @Test(
        "what is not JSON is refused",
        arguments: [
            "", " ", "{", "[1", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "'a'", "\"a", "\"\u{1}\"", "\"\\x\"",
            "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "01", "+1", "1.", ".5", "1e", "1e999",
            "-", "nul", "NaN", "true false", "{} x", "[1] ]",
        ])
    func malformed(text: String) {
        #expect(throws: StrictJSON.Failure.malformed) { try StrictJSON.parse(Data(text.utf8)) }
    }

    @Test("bytes that are not UTF-8 are refused")
    func invalidUTF8() {
        #expect(throws: StrictJSON.Failure.malformed) { try StrictJSON.parse(Data([0x22, 0xC3, 0x28, 0x22])) }
        #expect(throws: StrictJSON.Failure.malformed) { try StrictJSON.parse(Data([0xEF, 0xBB, 0xBF, 0x31])) }
    }

    @Test(
        "RFC 7519 section 4: two members of one name are refused, at any depth and however they are spelt",
        arguments: [#"{"a":1,"a":1}"#, #"{"x":[{"a":1,"b":2,"a":3}]}"#, #"{"a":1,"\u0061":2}"#])
    func duplicates(text: String) {
        #expect(throws: StrictJSON.Failure.duplicateMember("a")) { try StrictJSON.parse(Data(text.utf8)) }
    }

    @Test(
        "a text with so many combining marks in a row that comparing it takes long is refused, as a name and as a value",
        arguments: ["\u{301}", #"\u0301"#, #"\ud834\udd65"#])
    func marks(mark: String) throws {
        func documents(_ count: Int) -> [Data] {
            let text = "\"a" + String(repeating: mark, count: count) + "\""
            return ["{\(text):1}", "[\(text)]"].map { Data($0.utf8) }
        }
        for document in documents(256) { _ = try StrictJSON.parse(document) }
        for document in documents(257) {
            #expect(throws: StrictJSON.Failure.manyMarks) { try StrictJSON.parse(document) }
        }
    }

    @Test("a long text of a language with many marks is read", arguments: ["क्षि", "שָׁלוֹם", "tiế", "ที่"])
    func manyMarks(word: String) throws {
        let text = String(repeating: word.decomposedStringWithCanonicalMapping, count: 1000)
        #expect(try StrictJSON.parse(Data("{\"\(text)\":1}".utf8)) == [text: 1])
    }

    @Test("deep nesting is refused instead of exhausting the stack")
    func depth() {
        let bomb = String(repeating: "[", count: 100_000)
        #expect(throws: StrictJSON.Failure.malformed) { try StrictJSON.parse(Data(bomb.utf8)) }
    }
}
