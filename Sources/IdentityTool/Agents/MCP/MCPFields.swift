import Foundation
import IdentityKit

/// The header fields that a version of the Model Context Protocol requires in requests over HTTP.
///
/// Since version 2026-07-28, the fields repeat values of the message. In earlier versions, they hold the protocol
/// version and the session identifier from the response to `initialize`.
struct MCPFields: Sendable {
    /// The identifier from the `Mcp-Session-Id` header field of the response to `initialize`; `nil` if there is no
    /// valid one.
    private(set) var session: String?
    private var version: String?
    /// Whether the server has accepted `initialize`, which only versions before 2026-07-28 use.
    private(set) var hasInitialized = false
    /// The tool arguments that header fields repeat, as learned from the responses to `tools/list`.
    var parameters = MCPParameters()

    /// Returns the header fields of `message`; for `initialize`, none.
    /// - Throws: ``MCPError/notForHeader`` if a required value is missing or does not fit in a header field.
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

    /// The fields of every request after `initialize`, in versions before 2026-07-28. Unknown values are left out.
    var fieldsOfSession: [(name: String, value: String)] {
        [("MCP-Protocol-Version", version), ("Mcp-Session-Id", session)]
            .compactMap { name, value in value.map { (name, $0) } }
    }

    /// Whether the server may send messages of its own on a stream, which only the 2025 versions allow.
    var mayHaveStream: Bool { hasInitialized && version?.hasPrefix("2025-") == true }

    /// Stores the session identifier and the protocol version from the response to `initialize`. Ignores an error
    /// response, and stores `nil` for an invalid value.
    mutating func begin(_ response: MCPMessage, session: String?) {
        guard let result = response.content["result"] else { return }
        hasInitialized = true
        version = result["protocolVersion"]?.stringValue.flatMap { Self.isWord($0) ? $0 : nil }
        self.session = session.flatMap { Self.isVisible($0) && $0.utf8.count <= Self.longestValue ? $0 : nil }
    }

    /// The method that begins a session.
    static let beginning = "initialize"

    /// For each method, the member of `params` whose value is also sent in the header field `Mcp-Name`. Requests for other
    /// methods do not have this field.
    private static let names = ["tools/call": "name", "prompts/get": "name", "resources/read": "uri"]
    static let longestValue = 4096

    static func isVisible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isWord(_ text: String) -> Bool { isVisible(text) && text.utf8.count <= 128 }

    private static let (encodingStart, encodingEnd) = ("=?base64?", "?=")

    /// Returns a name or an argument for a header field: printable ASCII text unchanged, and other text in Base64
    /// between `=?base64?` and `?=`. An empty text, a text that begins or ends with a space, and a text that looks
    /// encoded are encoded too.
    /// - Throws: ``MCPError/notForHeader`` for a text of more than 4096 bytes.
    static func encoded(_ name: String) throws(MCPError) -> String {
        guard name.utf8.count <= longestValue else { throw .notForHeader }
        let isPlain =
            name.utf8.allSatisfy { (0x20...0x7E).contains($0) } && name.first != " " && name.last != " "
            && !name.isEmpty && !(name.hasPrefix(encodingStart) && name.hasSuffix(encodingEnd))
        return isPlain ? name : encodingStart + Data(name.utf8).base64EncodedString() + encodingEnd
    }
}
