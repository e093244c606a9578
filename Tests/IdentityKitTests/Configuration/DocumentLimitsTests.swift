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

    private func xml(_ content: String, head: String = #"<?xml version="1.0" encoding="UTF-8"?>"#) -> Data {
        Data("\(head)<plist version=\"1.0\">\(content)</plist>".utf8)
    }

    private func nested(_ depth: Int, _ start: String, _ end: String) -> String {
        String(repeating: start, count: depth) + String(repeating: end, count: depth)
    }

    @Test("A document that nests 10,000 deep is refused in every form")
    func deep() throws {
        let documents = [
            Data(nested(10_000, "[", "]").utf8), Data(nested(10_000, #"{"a":"#, "}").utf8),
            xml(nested(10_000, "<array>", "</array>")), xml(nested(10_000, "<dict><key>a</key>", "</dict>")),
            // Each object is an array of the next one.
            binary((1...10_000).map { [0xA1] + bytes($0, 2) } + [[0x50]]),
        ]
        for document in documents {
            #expect(refusal(document)?.contains("deeper than 64") == true)
        }
    }

    @Test("A document of 64 levels is read, and one of 65 is not")
    func edge() {
        for (start, end) in [("[", "]"), ("<array>", "</array>")] {
            for depth in [64, 65] {
                let text = nested(depth, start, end)
                let detail = refusal(start == "[" ? Data(text.utf8) : xml(text))
                #expect(detail?.contains("deeper than 64") == (depth == 65), "\(start) \(depth)")
            }
        }
        let chain = { (depth: Int) in
            self.binary((1..<depth).map { [0xA1] + self.bytes($0, 2) } + [[0xA0]])
        }
        #expect(refusal(chain(64))?.contains("deeper") == false)
        #expect(refusal(chain(65))?.contains("deeper than 64") == true)
    }

    @Test("Brackets in texts, comments and data are no levels")
    func texts() throws {
        let brackets = String(repeating: "[{", count: 200)
        let settings = #"{"providers": [{"name": "a", "type": "t", "settings": {"x": "\"\#(brackets)\\"}}]}"#
        #expect(refusal(Data(settings.utf8)) == nil)
        let tags = String(repeating: "<array>", count: 200)
        let list = xml(
            """
            <!-- \(tags) --><dict><key>providers</key><array><dict><key>name</key><string>a</string>
            <key>type</key><string><![CDATA[\(tags)]]></string><key>settings</key><dict/></dict></array></dict>
            """,
            head: """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                """)
        #expect(refusal(list) == nil)
    }

    @Test("A binary property list that contains itself is refused, and so is one that grows without end")
    func repetition() {
        #expect(refusal(binary([[0xA1] + bytes(0, 2)])) != nil)
        #expect(refusal(binary([[0xA1] + bytes(1, 2), [0xA1] + bytes(0, 2)])) != nil)
        #expect(refusal(binary([[0xD1] + bytes(1, 2) + bytes(0, 2), [0x51, 0x61]])) != nil)
        // Each of 40 arrays holds the next one twice.
        let doubling = (1...40).map { [0xA2] + bytes($0, 2) + bytes($0, 2) } + [[0x50]]
        #expect(refusal(binary(doubling))?.contains("too often") == true)
        // One long text, referred to 60 times.
        let references: [UInt8] = [0xAF, 0x10, 60] + [[UInt8]](repeating: bytes(1, 2), count: 60).joined()
        let text: [UInt8] = [0x5F, 0x12] + bytes(500_000, 4) + [UInt8](repeating: 0x61, count: 500_000)
        #expect(refusal(binary([references, text]))?.contains("too often") == true)
    }

    @Test("What Foundation writes in binary form is read")
    func binaryConfiguration() throws {
        let configuration = IdentityConfiguration(
            store: .file(folder: "/var/lib/example"),
            providers: (0..<40).map { ProviderConfiguration(name: "provider \($0)", type: "ü", settings: ["n": 3]) })
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        #expect(try IdentityConfiguration(parsing: encoder.encode(configuration)) == configuration)
        encoder.outputFormat = .xml
        #expect(try IdentityConfiguration(parsing: encoder.encode(configuration)) == configuration)
    }

    @Test("A binary property list cut short or with any byte changed is read or refused, and nothing else")
    func mutations() throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let whole = try encoder.encode(
            IdentityConfiguration(
                store: .file(folder: "/tmp"), providers: [ProviderConfiguration(name: "a", type: "t", settings: [:])]))
        for length in 0..<whole.count { #expect(refusal(whole.prefix(length)) != nil) }
        for index in whole.indices {
            for byte in [0x00, 0x0F, 0xA1, 0xDF, 0xFF] as [UInt8] {
                var changed = whole
                changed[index] = byte
                _ = refusal(changed)
            }
        }
    }

    @Test("What two readers could take for different things is refused")
    func ambiguous() {
        let array = "<array></array>"
        let documents = [
            xml(array, head: #"<?xml version="1.0" encoding="utf-7"?>"#),
            xml(array, head: #"<!DOCTYPE plist [<!ENTITY a "b">]>"#), xml("<array a=\">\"></array>"),
            xml("<array></dict>"),
            xml("<array>"), xml("<!-- "), Data("<\0a\0r\0r\0a\0y\0>\0".utf8), Data("[\0]\0".utf8),
        ]
        for document in documents { #expect(refusal(document) != nil) }
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

    // MARK: Binary property lists

    private func bytes(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// A document of these objects, the first of which is the outermost.
    private func binary(_ objects: [[UInt8]]) -> Data {
        var (content, offsets) = (Array("bplist00".utf8), [UInt8]())
        for object in objects {
            offsets += bytes(content.count, 4)
            content += object
        }
        let table = content.count
        return Data(
            content + offsets + [0, 0, 0, 0, 0, 0, 4, 2] + bytes(objects.count, 8) + bytes(0, 8) + bytes(table, 8))
    }
}
