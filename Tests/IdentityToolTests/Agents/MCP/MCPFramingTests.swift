import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import IdentityTool

/// What `identity mcp` reads and writes, without a server.
@Suite struct MCPFramingTests {
    private static func events(_ body: String, inPartsOf size: Int, limit: Int = 1000) throws -> [String] {
        var (reader, rest, events) = (EventStreamReader(limit: limit), Data(body.utf8), [Data]())
        while !rest.isEmpty {
            events += try reader.events(with: Data(rest.prefix(size)))
            rest = Data(rest.dropFirst(size))
        }
        return events.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("A stream of events is read the same whatever ends its lines, and however it is cut")
    func cut() throws {
        let lines = [
            "\u{FEFF}: a comment", "data:1", "", "id: 7", "retry: 10", "data:", "", "event: message", "data:  two",
            "data: lines", "unknown: field", "data", "", "event: other", "data: left out", "", "", "data: not ended",
        ]
        let expected = ["1", " two\nlines\n"]
        for end in ["\n", "\r\n", "\r"] {
            let body = lines.joined(separator: end)
            for size in 1...body.utf8.count {
                #expect(try Self.events(body, inPartsOf: size) == expected, "\(end.debugDescription), \(size)")
            }
        }
    }

    @Test(
        "The last identifier and the pause of a stream are known to the next reader, and a field that is none changes nothing"
    )
    func identifiers() throws {
        var reader = EventStreamReader(limit: 100)
        _ = try reader.events(with: Data("id: 7\nretry: 10\ndata: a\n\nid: 8\ndata: not ended\n".utf8))
        #expect(reader.lastID == "7" && reader.pause == .milliseconds(10))
        var next = EventStreamReader(after: reader)
        #expect(try next.events(with: Data("data: b\nretry: 1s\nid: a\0b\n\n".utf8)) == [Data("b".utf8)])
        #expect(next.lastID == "7" && next.pause == .milliseconds(10))
        _ = try next.events(with: Data("id\n\n".utf8))
        #expect(next.lastID == nil)
    }

    @Test("An event that is too large is refused before its end", arguments: ["data: ", "", ": "])
    func largeEvent(start: String) throws {
        #expect(try Self.events("data: \(String(repeating: "a", count: 90))\n\n", inPartsOf: 7, limit: 100).count == 1)
        for body in [
            start + String(repeating: "a", count: 101), String(repeating: "data: aaaaaaaaa\n", count: 11),
        ] {
            #expect(throws: EventTooLargeError.self) { try Self.events(body, inPartsOf: 7, limit: 100) }
        }
    }

    @Test("An event of many lines is read in one pass, after a field with a long name", .endsInTime)
    func manyLines() throws {
        let name = String(repeating: "\u{301}", count: 400_000) + String(repeating: "\u{323}", count: 400_000)
        let (text, lines) = (String(repeating: "a", count: 1 << 20), String(repeating: "data:\n", count: 50_000))
        let body = "\(name):\ndata:\(text)\n\(lines)\n"
        let events = try Self.events(body, inPartsOf: body.utf8.count, limit: 1 << 21)
        #expect(events.map(\.utf8.count) == [(1 << 20) + 50_000])
    }

    @Test("A message stays as it was written, in one line")
    func message() throws {
        let text = "{\"jsonrpc\":\"2.0\",\r\n \"id\":\"a\\nb\", \"method\" : \"x\",\n\"params\":{\"n\":1.10}}\n"
        let message = try MCPMessage(parsing: Data(text.utf8))
        #expect(message.kind == .request(id: "a\nb") && message.method == "x")
        let line = String(decoding: message.text, as: UTF8.self)
        #expect(!line.contains { $0.isNewline } && line.contains("\"n\":1.10"))
        #expect(try JSONValue(parsing: message.text) == JSONValue(parsing: Data(text.utf8)))
        // A byte order mark is no part of it: a client's parser refuses a line that begins with one.
        #expect(try MCPMessage(parsing: Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)).text == message.text)
    }

    @Test("Each kind of message is known")
    func kinds() throws {
        func kind(_ members: String) throws -> MCPMessage.Kind {
            try MCPMessage(parsing: Data("{\"jsonrpc\":\"2.0\",\(members)}".utf8)).kind
        }
        #expect(try kind(#""id":1,"method":"ping""#) == .request(id: 1))
        #expect(try kind(#""method":"notifications/initialized""#) == .notification)
        #expect(try kind(#""id":1,"result":{}"#) == .response(id: 1))
        #expect(try kind(#""id":"1","error":{"code":1,"message":""}"#) == .response(id: "1"))
    }

    @Test(
        "What is no message is an error of JSON-RPC",
        arguments: [
            ("", -32700), ("[]", -32700), ("[{}]", -32700), ("nonsense", -32700), ("{\"a\":\"\n\"}", -32700),
            ("{}", -32600), (#"{"id":1,"method":"a"}"#, -32600), (#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":[],"method":"a"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1}"#, -32600), (#"{"jsonrpc":"2.0","id":1,"method":2}"#, -32600),
        ] as [(String, Int64)])
    func malformed(text: String, code: Int64) throws {
        do {
            _ = try MCPMessage(parsing: Data(text.utf8))
            Issue.record("\(text) is a message")
        } catch {
            let response = try JSONValue(parsing: error.response(to: nil))
            #expect(response["error"]?["code"] == .integer(code) && response["jsonrpc"] == "2.0", "\(text)")
            let id = text.contains(#""id":1"#) ? JSONValue.integer(1) : .null
            #expect(response["id"] == id, "\(text)")
        }
    }

    @Test("A document in another encoding is no message")
    func encoding() throws {
        let text = try #require(#"{"jsonrpc":"2.0","id":1,"result":{}}"#.data(using: .utf16LittleEndian))
        #expect(throws: MCPError.malformed) { try MCPMessage(parsing: text) }
        #expect(throws: MCPError.malformed) { try MCPMessage(parsing: Data([0x22, 0xFF, 0x22])) }
    }

    // MARK: Header fields

    private static func message(_ method: String, _ params: [String: JSONValue], version: JSONValue? = nil) throws
        -> MCPMessage
    {
        var params = params
        if let version { params["_meta"] = ["io.modelcontextprotocol/protocolVersion": version] }
        let content: JSONValue = [
            "jsonrpc": "2.0", "id": 1, "method": .string(method), "params": .object(params),
        ]
        return try MCPMessage(parsing: JSONEncoder().encode(content))
    }

    private static func fields(_ message: MCPMessage, _ state: MCPFields = MCPFields()) throws -> [String: String] {
        Dictionary(try state.fields(for: message).map { ($0.name, $0.value) }) { $1 }
    }

    @Test("A request of 2026-07-28 repeats its version, its method and its name in the header")
    func repeated() throws {
        let version = ["MCP-Protocol-Version": "2026-07-28"]
        func fields(_ method: String, _ params: [String: JSONValue]) throws -> [String: String] {
            try Self.fields(try Self.message(method, params, version: "2026-07-28"))
        }
        #expect(try fields("tools/list", ["name": "a"]) == version.merging(["Mcp-Method": "tools/list"]) { $1 })
        for (method, member) in [("tools/call", "name"), ("prompts/get", "name"), ("resources/read", "uri")] {
            let expected = version.merging(["Mcp-Method": method, "Mcp-Name": "file:///a b"]) { $1 }
            #expect(try fields(method, [member: "file:///a b"]) == expected)
        }
    }

    @Test(
        "A name that a header cannot hold is encoded",
        arguments: [
            ("caf\u{E9}", "=?base64?Y2Fmw6k=?="), (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="), ("a\r\nAuthorization: b", nil),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="), ("", "=?base64??="),
        ] as [(String, String?)])
    func encoded(name: String, value: String?) throws {
        let message = try Self.message("tools/call", ["name": .string(name)], version: "2026-07-28")
        let field = try #require(try Self.fields(message)["Mcp-Name"])
        #expect(value == nil || field == value)
        #expect(field.utf8.allSatisfy { (0x21...0x7E).contains($0) } && field.hasPrefix("=?base64?"))
    }

    @Test("A version or a method that is no word is not sent, and no tool without a name is called")
    func unfit() throws {
        for (method, params, version) in [
            ("a b", [:], "2026-07-28"), ("a\r\nb", [:], "2026-07-28"), (String(repeating: "a", count: 129), [:], "1"),
            ("ping", [:], "2026\r\nA: b"), ("ping", [:], 7), ("tools/call", [:], "2026-07-28"),
            ("tools/call", ["name": .string(String(repeating: "a", count: 5000))], "2026-07-28"),
        ] as [(String, [String: JSONValue], JSONValue)] {
            let message = try Self.message(method, params, version: version)
            #expect(throws: MCPError.notForHeader) { try Self.fields(message) }
        }
    }

    @Test("Before 2026-07-28 the response to initialize says what is sent")
    func session() throws {
        var state = MCPFields()
        let request = try Self.message("tools/call", ["name": "a"])
        #expect(try Self.fields(request, state).isEmpty && !state.hasInitialized)
        let response = try MCPMessage(
            parsing: Data(#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}"#.utf8))
        state.begin(response, session: "s-1")
        let expected = ["MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": "s-1"]
        #expect(try Self.fields(request, state) == expected && state.hasInitialized)
        // A session that begins has no identifier yet.
        #expect(try Self.fields(try Self.message("initialize", [:]), state).isEmpty)
        let unfit = try MCPMessage(
            parsing: Data(#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025\r\nA: b"}}"#.utf8))
        state.begin(unfit, session: "a b")
        #expect(try Self.fields(request, state).isEmpty)
    }
}
