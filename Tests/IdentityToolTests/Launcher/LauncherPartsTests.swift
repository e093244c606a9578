import Foundation
import IdentityKit
import IdentityStoreFormat
import Testing

@testable import identity_launcher

@Suite struct LauncherPartsTests {
    @Test(
        "A text is read as every JSON reader reads it",
        arguments: [
            #""""#, #""plain""#, #""a\"b\\c\/d\b\f\n\r\t""#, #""\u00e9\u20AC""#, #""\ud83d\ude00 and more""#,
            #""é 😀""#, #""\u0000""#,
        ])
    func texts(document: String) throws {
        var reader = JSONReader(Array(document.utf8))
        #expect(try reader.string() == JSONValue(parsing: Data(document.utf8)).stringValue)
    }

    @Test("A text ends at its quotation mark, wherever in the document it stands", arguments: 0..<20)
    func longTexts(length: Int) throws {
        let plain = String(repeating: "é~ \u{7F}", count: 5).utf8.prefix(length)
        guard let text = String(plain) else { return }
        for (written, read) in [
            (#"\""#, "\""), (#"\\"#, "\\"), (#"\u001f"#, "\u{1F}"), ("!", "!"), ("#", "#"), ("[", "["), ("€", "€"),
        ] {
            var reader = JSONReader(Array("\"\(text)\(written)\(text)\" ".utf8))
            #expect(try reader.string() == text + read + text)
            try reader.end()
        }
        for control in (0..<0x20 as Range<UInt8>) {
            var reader = JSONReader(Array("\"\(text)".utf8) + [control] + Array("12345678\"".utf8))
            #expect(throws: JSONReader.SyntaxError.malformed) { try reader.string() }
        }
        for broken in (0x80...0xFF as ClosedRange<UInt8>) {
            var reader = JSONReader(Array("\"\(text)".utf8) + [broken] + Array("12345678\"".utf8))
            #expect(throws: JSONReader.SyntaxError.malformed) { try reader.string() }
        }
    }

    @Test(
        "A record's document has each member once and of its type",
        arguments: [
            #"{"content":"YQ==","content":"Yg==","generation":1,"key":{}}"#,
            #"{"generation":1,"generation":2,"key":{}}"#,
            #"{"key":{"collection":"a","name":"b"},"key":{"collection":"a","name":"c"}}"#,
            #"{"content":null}"#, #"{"content":1}"#, #"{"generation":"1"}"#, #"{"key":"a/b"}"#, #"{"key":{"name":1}}"#,
        ])
    func malformedRecords(document: String) {
        var reader = JSONReader(Array(document.utf8))
        #expect(throws: JSONReader.SyntaxError.self) { try RecordDocument(&reader) }
    }

    @Test("A record's document is read in any order, with what a later version added")
    func records() throws {
        let later = #"{"new":[{}],"key":{"name":"n","new":1,"collection":"c"},"generation":7e0}"#
        var reader = JSONReader(Array(later.utf8))
        let record = try RecordDocument(&reader)
        #expect(record.collection == "c" && record.name == "n" && record.generation == 7 && record.content == nil)
        for generation in ["-1", "1.5", "1e300", "18446744073709551616"] {
            var reader = JSONReader(Array(#"{"generation":\#(generation)}"#.utf8))
            #expect(try RecordDocument(&reader).generation == nil)
        }
    }

    @Test("A token document says what Foundation's encoder would", arguments: ["plain", "a\"b\\c", "\u{1}\n\u{1F}é😀/"])
    func tokenDocument(text: String) throws {
        for seconds in [
            0, -1, 951_782_399, 951_868_800, 1_709_164_800, 4_107_542_399, 253_402_300_799, -11_644_473_600,
        ] {
            let date = Date(timeIntervalSince1970: Double(seconds) + 0.25)
            let document = TokenDocument(
                accessToken: text, tokenType: "Bearer", expiresAt: date, scopes: ["b", "a"], account: "work/ada")
            let value = try JSONValue(parsing: Data(document.json.utf8))
            #expect(value["accessToken"]?.stringValue == text && value["scopes"] == ["a", "b"])
            #expect(
                value["expiresAt"]?.stringValue == Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601))
            #expect(value["account"]?.stringValue == "work/ada" && value["tokenType"]?.stringValue == "Bearer")
        }
        var detailed = TokenDocument(
            accessToken: "t", tokenType: "Bearer", expiresAt: nil, scopes: [], account: "a/b")
        detailed.details = [text: "true", "team.id": "\"T1\""]
        #expect(
            try JSONValue(parsing: Data(detailed.json.utf8))["details"] == .object([text: true, "team.id": "T1"]))
        let short = TokenDocument(accessToken: "t", tokenType: "Bearer", expiresAt: nil, scopes: [], account: "a/b")
        #expect(try JSONValue(parsing: Data(short.json.utf8)).objectValue?.count == 4 && short.json.contains("[]"))
    }

    @Test(
        "What is no text is refused",
        arguments: [
            "", "\"", "\"open", #""\"#, #""\x""#, #""\u12""#, #""\ud83d""#, #""\ud83dx""#, #""\udc00""#,
            #""\ud83d\u0041""#, "\"line\nbreak\"", "plain",
        ])
    func malformedTexts(document: String) {
        var reader = JSONReader(Array(document.utf8))
        #expect(throws: JSONReader.SyntaxError.self) { try reader.string() }
    }

    @Test("Numbers keep all their digits", arguments: ["0", "-1", "810834512.123456", "1e3", "2.5E-3"])
    func numbers(document: String) throws {
        var reader = JSONReader(Array(document.utf8))
        #expect(try reader.number().value == JSONValue(parsing: Data(document.utf8)).numberValue)
    }

    @Test(
        "Whatever is not asked for is passed over",
        arguments: [
            "{}", "[]", "null", "true", "false", "-12.5", #""text""#, #"{"a": [1, {"b": null}], "c": "d"}"#,
            " { \"a\" :\t1 ,\r\n\"b\": [ ] } ",
        ])
    func skipping(value: String) throws {
        let document = "{\"first\": \(value), \"second\": \"found\"}"
        var reader = JSONReader(Array(document.utf8))
        var second = ""
        try reader.members { name, reader throws(JSONReader.SyntaxError) in
            if name == "second" { second = try reader.string() } else { try reader.skip() }
        }
        #expect(second == "found")
    }

    @Test(
        "What is no document is refused, however deep it goes",
        arguments: [
            "", "{", "[", "{\"a\"}", "{\"a\":}", "{\"a\" 1}", "[1 2]", "[1,]", "nul", "truth", "--1", "1e999",
            String(repeating: "[", count: 100_000),
        ])
    func malformed(document: String) {
        var reader = JSONReader(Array(document.utf8))
        #expect(throws: JSONReader.SyntaxError.self) { try reader.skip() }
    }

    @Test("A fingerprint is FNV-1a's", arguments: [("", 0xCBF2_9CE4_8422_2325), ("foobar", 0x8594_4171_F739_67E8)])
    func fingerprints(text: String, expected: UInt64) {
        #expect(Fingerprint(of: Array(text.utf8)).text == "\(expected)")
    }

    @Test("A shortcut is read as it was written, and nothing else is taken for one")
    func shortcuts() throws {
        var shortcut = TokenShortcut()
        (shortcut.store, shortcut.keyFile) = ("/s", "/s.key")
        (shortcut.choice, shortcut.choiceFingerprint) = ("c/1.record", "12")
        (shortcut.record, shortcut.account, shortcut.backend) = ("a/2.record", "work/ada é", "https://id")
        let content = try #require(shortcut.content)
        #expect(TokenShortcut(content) == shortcut)
        #expect(TokenShortcut(content.dropLast()) == nil)
        #expect(TokenShortcut(content + [UInt8(ascii: "\n")]) == nil)
        #expect(TokenShortcut(Array("swift-identity-shortcut 2\n".utf8) + content.dropFirst(26)) == nil)
        shortcut.account = "two\nlines"
        #expect(shortcut.content == nil)
    }
}
