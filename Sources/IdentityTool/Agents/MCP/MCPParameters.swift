import Foundation
import IdentityKit

/// The tool arguments that a `tools/call` request repeats in `Mcp-Param-` header fields. The definition of a tool names
/// these arguments with `x-mcp-header`, since version 2026-07-28 of the protocol.
struct MCPParameters: Sendable {
    private struct Field: Sendable {
        let name: String
        let type: JSONValue?
        /// The names of the nested members that lead from `arguments` to the value.
        let path: [String]

        var isValid: Bool {
            name.utf8.count <= 128 && name.wholeMatch(of: /[A-Za-z0-9!#$%&'*+.^_`|~\-]+/) != nil
                && ["string", "integer", "boolean"].contains(type)
        }
    }

    private var tools: [String: [Field]] = [:]

    private static let annotation = "x-mcp-header"
    private static let mostTools = 4096

    /// Stores the annotated arguments of the tools in a response to `tools/list`. No further annotations are stored beyond
    /// 4096 tools.
    /// - Returns: the response without tools whose annotations are invalid, and the names of the removed tools.
    mutating func learn(from response: MCPMessage) -> (response: MCPMessage, refused: [String]) {
        var (content, kept, refused) = (response.content, [JSONValue](), [String]())
        guard var result = content["result"], let listed = result["tools"]?.arrayValue else { return (response, []) }
        for tool in listed {
            let name = tool["name"]?.stringValue ?? ""
            let fields = Self.fields(of: tool["inputSchema"] ?? .null)
            let hasSpace = tools[name] != nil || tools.count < Self.mostTools
            tools[name] = fields?.isEmpty == false && hasSpace ? fields : nil
            if fields == nil { refused.append(name) } else { kept.append(tool) }
        }
        guard !refused.isEmpty else { return (response, []) }
        result["tools"] = .array(kept)
        content["result"] = result
        // A parsed value always encodes.
        let shorter = try? MCPMessage(parsing: JSONEncoder().encode(content))
        return (shorter ?? response, refused)
    }

    /// Returns the header fields for the annotated arguments of a `tools/call` request. Skips an argument that is
    /// absent or neither a text, an integer nor a boolean.
    /// - Throws: ``MCPError/notForHeader`` for an argument that is too long.
    func fields(for call: MCPMessage) throws(MCPError) -> [(name: String, value: String)] {
        let params = call.content["params"]
        var fields: [(name: String, value: String)] = []
        for field in tools[params?["name"]?.stringValue ?? ""] ?? [] {
            let text: String
            switch field.path.reduce(params?["arguments"], { $0?[$1] }) {
            case .string(let value)?: text = value
            case .integer(let value)?: text = "\(value)"
            case .bool(let value)?: text = "\(value)"
            default: continue
            }
            fields.append(("Mcp-Param-" + field.name, try MCPFields.encoded(text)))
        }
        return fields
    }

    /// Returns the annotated arguments in the input schema of a tool; `nil` if an annotation is invalid.
    private static func fields(of schema: JSONValue) -> [Field]? {
        var fields: [Field] = []
        func collect(_ schema: JSONValue, _ path: [String]) {
            for (member, property) in schema["properties"]?.objectValue ?? [:] {
                if let name = property[annotation] {
                    fields.append(Field(name: name.stringValue ?? "", type: property["type"], path: path + [member]))
                }
                collect(property, path + [member])
            }
        }
        collect(schema, [])
        // An annotation outside `properties`, such as one in the schema of array items, identifies no single argument.
        let isValid =
            fields.allSatisfy(\.isValid) && Set(fields.map { $0.name.lowercased() }).count == fields.count
            && annotations(in: schema) == fields.count
        return isValid ? fields : nil
    }

    private static func annotations(in value: JSONValue) -> Int {
        let parts = value.arrayValue ?? value.objectValue.map { Array($0.values) } ?? []
        return parts.reduce(value[annotation] == nil ? 0 : 1) { $0 + annotations(in: $1) }
    }
}
