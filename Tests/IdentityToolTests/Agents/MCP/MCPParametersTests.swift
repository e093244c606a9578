import Foundation
import IdentityKit
import IdentityTool
import TestSupport
import Testing

/// Arguments that a server wants in the header (`x-mcp-header`).
@Suite(.endsInTime) struct MCPParametersTests {
    private static func tool(_ name: String, _ properties: JSONValue, _ more: [String: JSONValue] = [:]) -> JSONValue {
        let schema: [String: JSONValue] = ["type": "object", "properties": properties]
        return ["name": .string(name), "inputSchema": .object(schema.merging(more) { $1 })]
    }

    private static func marked(_ name: JSONValue, _ type: JSONValue = "string") -> JSONValue {
        ["type": type, "x-mcp-header": name]
    }

    /// Lists these tools, and calls one of them once the list is there.
    private func call(
        _ name: String, _ arguments: JSONValue, of tools: [JSONValue], version: JSONValue? = "2026-07-28",
        _ test: (_ listed: [String], _ call: [String: String], ToolProcess.Result) throws -> Void
    ) async throws {
        let server = try await MCPStandIn.start { _, message in
            guard message["method"] == "tools/list" else { return nil }
            return .json(MCPStandIn.result(["tools": .array(tools)], for: message["id"]))
        }
        try await withTool { fixture in
            try await fixture.nameWithSession(server.http.url, path: "/mcp")
            let params: [String: JSONValue] = ["name": .string(name), "arguments": arguments]
            let lines = Locked([
                MCPLine.request(1, "tools/list", version: version),
                MCPLine.request(2, "tools/call", params, version: version),
            ])
            let (output, errors, hasList) = (Locked(Data()), Locked(Data()), DispatchSemaphore(value: 0))
            hasList.signal()
            let context = ToolContext(
                environment: ProcessInfo.processInfo.environment.merging(fixture.environment) { $1 },
                folder: fixture.folder,
                input: ToolContext.Input {
                    hasList.wait()
                    return lines.withLock { $0.isEmpty ? Data() : Data($0.removeFirst().utf8) }
                },
                output: ToolContext.Output { bytes in
                    output.withLock { $0 += bytes }
                    hasList.signal()
                },
                errors: ToolContext.Output { bytes in errors.withLock { $0 += bytes } })
            let status = await IdentityTool.run(["mcp", "git"], in: context)
            let result = ToolProcess.Result(
                status: status.rawValue, output: String(decoding: output.withLock { $0 }, as: UTF8.self),
                errors: String(decoding: errors.withLock { $0 }, as: UTF8.self))
            #expect(result.status == 0, "\(result)")
            let listed = try result.messages()[1]?["result"]?["tools"]?.arrayValue ?? []
            let sent = server.requests.last?.headers.filter { $0.name.lowercased().hasPrefix("mcp-param-") } ?? []
            try test(
                listed.compactMap { $0["name"]?.stringValue },
                Dictionary(sent.map { ($0.name.lowercased(), $0.value) }) { $0 + $1 }, result)
        }
        await server.http.stop()
    }

    @Test("A call repeats the arguments that the definition marks, encoded where they are no plain text")
    func repeated() async throws {
        let properties: JSONValue = [
            "region": Self.marked("Region"), "count": Self.marked("Count", "integer"),
            "dry": Self.marked("Dry", "boolean"), "query": ["type": "string"], "absent": Self.marked("Absent"),
            "place": ["type": "object", "properties": ["city": Self.marked("City")]],
        ]
        let arguments: JSONValue = [
            "region": "us-west1", "count": -7, "dry": true, "query": "SELECT", "absent": nil,
            "place": ["city": "a\r\nCookie: b"],
        ]
        let expected = [
            "mcp-param-region": "us-west1", "mcp-param-count": "-7", "mcp-param-dry": "true",
            "mcp-param-city": "=?base64?YQ0KQ29va2llOiBi?=",
        ]
        let tools = [Self.tool("a", properties), Self.tool("b", ["c": ["type": "string"]])]
        try await call("a", arguments, of: tools) { listed, fields, result in
            #expect(listed == ["a", "b"] && fields == expected && result.errors.isEmpty, "\(result)")
        }
        try await call("b", ["c": "d"], of: tools) { _, fields, _ in #expect(fields.isEmpty) }
        // Before that version nothing is marked.
        try await call("a", arguments, of: tools, version: nil) { _, fields, _ in #expect(fields.isEmpty) }
    }

    @Test("A tool that marks an argument wrongly is left out of the list, and the others stay")
    func refused() async throws {
        let wrong: [JSONValue] = [
            Self.tool("empty", ["a": Self.marked("")]), Self.tool("line", ["a": Self.marked("A\r\nCookie")]),
            Self.tool("space", ["a": Self.marked("A b")]), Self.tool("no text", ["a": Self.marked(7)]),
            Self.tool("twice", ["a": Self.marked("A"), "b": Self.marked("a")]),
            Self.tool("number", ["a": Self.marked("A", "number")]),
            Self.tool("list", ["a": ["type": "array", "items": Self.marked("A")]]),
            Self.tool("choice", [:], ["oneOf": [["properties": ["a": Self.marked("A")]]]]),
            Self.tool("root", [:], ["x-mcp-header": "A"]),
        ]
        let right = Self.tool("right", ["a": Self.marked("A")])
        try await call("empty", ["a": "b"], of: wrong + [right]) { listed, fields, result in
            #expect(listed == ["right"] && fields.isEmpty)
            #expect(result.errors.split(separator: "\n").count == wrong.count, "\(result.errors)")
        }
    }
}
