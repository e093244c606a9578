import Foundation
import IdentityKit

/// The fields that a version of the Model Context Protocol wants in the header of a request over HTTP.
///
/// Since 2026-07-28 it repeats parts of the message. Before, it is what the response to `initialize` has said.
struct MCPFields: Sendable {
    /// The session that the server has begun.
    private(set) var session: String?
    private var version: String?
    /// Whether the client has begun a session, as before 2026-07-28.
    private(set) var hasInitialized = false
    /// The tools that the server has listed.
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

    /// Whether the server may have a stream for messages of its own.
    var mayHaveStream: Bool { hasInitialized && version?.hasPrefix("2025-") == true }

    /// Learns from the response to `initialize`.
    mutating func begin(_ response: MCPMessage, session: String?) {
        guard let result = response.content["result"] else { return }
        hasInitialized = true
        version = result["protocolVersion"]?.stringValue.flatMap { Self.isWord($0) ? $0 : nil }
        self.session = session.flatMap { Self.isVisible($0) && $0.utf8.count <= Self.longestValue ? $0 : nil }
    }

    /// The method that begins a session.
    static let beginning = "initialize"

    /// Methods whose object is named, and the member of `params` that does so.
    private static let names = ["tools/call": "name", "prompts/get": "name", "resources/read": "uri"]
    static let longestValue = 4096

    static func isVisible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isWord(_ text: String) -> Bool { isVisible(text) && text.utf8.count <= 128 }

    private static let (encodingStart, encodingEnd) = ("=?base64?", "?=")

    /// A name or an argument as a field can hold it.
    /// - Throws: ``MCPError/notForHeader``.
    static func encoded(_ name: String) throws(MCPError) -> String {
        guard name.utf8.count <= longestValue else { throw .notForHeader }
        let isPlain =
            name.utf8.allSatisfy { (0x20...0x7E).contains($0) } && name.first != " " && name.last != " "
            && !name.isEmpty && !(name.hasPrefix(encodingStart) && name.hasSuffix(encodingEnd))
        return isPlain ? name : encodingStart + Data(name.utf8).base64EncodedString() + encodingEnd
    }
}
