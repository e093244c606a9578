import Foundation
import IdentityKit

/// The header fields that a version of the Model Context Protocol requires in requests over HTTP.
///
/// Since 2026-07-28 they repeat parts of the message; before, they are values from the response to `initialize`.
struct MCPFields: Sendable {
    /// Identifier of the session that the server has begun.
    private(set) var session: String?
    private var version: String?
    /// Whether the client has begun a session, as before 2026-07-28.
    private(set) var hasInitialized = false
    /// The parameters of the listed tools that are repeated in header fields.
    var parameters = MCPParameters()

    /// The fields of a message.
    /// - Throws: ``MCPError/notForHeader``.
    func fields(for message: MCPMessage) throws(MCPError) -> [(name: String, value: String)] {
        if let version = message.version {
            guard let version = version.stringValue, Self.isWord(version) else { throw .notForHeader }
            var fields = [(name: "MCP-Protocol-Version", value: version)]
            guard let method = message.method else { return fields }
            guard Self.isWord(method) else { throw .notForHeader }
            fields.append(("Mcp-Method", method))
            guard let member = Self.names[method] else { return fields }
            guard let name = message.content["params"]?[member]?.stringValue else { throw .notForHeader }
            fields.append(("Mcp-Name", try Self.encoded(name)))
            return method == "tools/call" ? fields + (try parameters.fields(for: message)) : fields
        }
        return message.method == Self.beginning ? [] : fieldsOfSession
    }

    /// The fields of a message before 2026-07-28.
    var fieldsOfSession: [(name: String, value: String)] {
        [("MCP-Protocol-Version", version), ("Mcp-Session-Id", session)]
            .compactMap { name, value in value.map { (name, $0) } }
    }

    /// Whether the server may send messages of its own on a stream.
    var mayHaveStream: Bool { hasInitialized && version?.hasPrefix("2025-") == true }

    /// Takes session and version from the response to `initialize`.
    mutating func begin(_ response: MCPMessage, session: String?) {
        guard let result = response.content["result"] else { return }
        hasInitialized = true
        version = result["protocolVersion"]?.stringValue.flatMap { Self.isWord($0) ? $0 : nil }
        self.session = session.flatMap { Self.isVisible($0) && $0.utf8.count <= Self.longestValue ? $0 : nil }
    }

    /// The method that begins a session.
    static let beginning = "initialize"

    /// Methods about a named object, with the member of `params` that has the name.
    private static let names = ["tools/call": "name", "prompts/get": "name", "resources/read": "uri"]
    static let longestValue = 4096

    static func isVisible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isWord(_ text: String) -> Bool { isVisible(text) && text.utf8.count <= 128 }

    private static let (encodingStart, encodingEnd) = ("=?base64?", "?=")

    /// A name or an argument, encoded for a header field.
    /// - Throws: ``MCPError/notForHeader``.
    static func encoded(_ name: String) throws(MCPError) -> String {
        guard name.utf8.count <= longestValue else { throw .notForHeader }
        let isPlain =
            name.utf8.allSatisfy { (0x20...0x7E).contains($0) } && name.first != " " && name.last != " "
            && !name.isEmpty && !(name.hasPrefix(encodingStart) && name.hasSuffix(encodingEnd))
        return isPlain ? name : encodingStart + Data(name.utf8).base64EncodedString() + encodingEnd
    }
}
