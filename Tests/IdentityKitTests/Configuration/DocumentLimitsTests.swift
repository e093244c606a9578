import Foundation
import IdentityKit
import Testing

/// Documents that a parser must not be let at.
@Suite struct DocumentLimitsTests {
    private func refusal(_ data: Data) -> String? {
        do {
            _ = try IdentityConfiguration(parsing: data)
            return nil
        } catch ConfigurationError.notADocument(let detail) {
            return detail
        } catch {
            return "\(error)"
        }
    }

    private func nested(_ depth: Int, _ start: String, _ end: String) -> String {
        String(repeating: start, count: depth) + String(repeating: end, count: depth)
    }

    @Test("A document that nests 10,000 deep is refused")
    func deep() throws {
        for document in [nested(10_000, "[", "]"), nested(10_000, #"{"a":"#, "}")] {
            #expect(refusal(Data(document.utf8))?.contains("deeper than 64") == true)
        }
    }

    @Test("A document of 64 levels is read, and one of 65 is not")
    func edge() {
        for depth in [64, 65] {
            let detail = refusal(Data(nested(depth, "[", "]").utf8))
            #expect(detail?.contains("deeper than 64") == (depth == 65), "\(depth)")
        }
    }

    @Test("Brackets in texts are no levels")
    func texts() throws {
        let brackets = String(repeating: "[{", count: 200)
        let settings = #"{"providers": [{"name": "a", "type": "t", "settings": {"x": "\"\#(brackets)\\"}}]}"#
        #expect(refusal(Data(settings.utf8)) == nil)
    }

    @Test("Another encoding than UTF-8 is refused")
    func encoding() {
        #expect(refusal(Data("[\0]\0".utf8)) != nil)
    }

    @Test("A document of more than a mebibyte is not looked at")
    func size() {
        #expect(refusal(Data(repeating: 0x20, count: 1 << 20 + 1))?.contains("larger than") == true)
    }

    @Test("Values nested deeper than 96 levels are no JSON of ours, from wherever they come")
    func values() throws {
        _ = try JSONValue(parsing: Data(nested(96, "[", "]").utf8))
        for depth in [97, 512, 100_000] {
            #expect(throws: DecodingError.self) { try JSONValue(parsing: Data(nested(depth, "[", "]").utf8)) }
        }
    }

    @Test(
        "A text that takes long to compare is no JSON of ours, however it is spelt",
        arguments: ["\u{301}", #"\u0301"#, #"\ud834\udd65"#])
    func marks(mark: String) throws {
        for quoted in ["{%: 1}", #"{"\"": [%]}"#] {
            func document(_ count: Int) -> Data {
                let text = "\"a" + String(repeating: mark, count: count) + "\""
                return Data(quoted.replacingOccurrences(of: "%", with: text).utf8)
            }
            _ = try JSONValue(parsing: document(256))
            #expect(throws: DecodingError.self) { try JSONValue(parsing: document(257)) }
            #expect(refusal(document(257)) == "It has more than 256 combining marks in a row.")
        }
    }
}
