import Foundation
import IdentityKit

/// A message of the Model Context Protocol (JSON-RPC 2.0), in its original text but on one line.
struct MCPMessage: Sendable {
    enum Kind: Sendable, Equatable {
        case request(id: JSONValue)
        case notification
        case response(id: JSONValue)
    }

    let kind: Kind
    let content: JSONValue
    /// The text, without a line break and without a byte order mark.
    let text: Data

    /// The largest message of the client, in bytes.
    static let largestLine = 4 << 20
    /// The largest message of a server, in bytes; it may contain images.
    static let largestFromServer = 16 << 20

    /// Parses a message. Skips a byte order mark, which JSON must not have (RFC 8259 section 8.1).
    /// - Throws: ``MCPError/malformed`` for a text that is not a JSON object, or ``MCPError/invalid(id:)`` for an
    ///   object that is not a message.
    init(parsing text: Data) throws(MCPError) {
        let text = text.withoutByteOrderMark
        guard String(data: text, encoding: .utf8) != nil, let content = try? JSONValue(parsing: text),
            content.objectValue != nil
        else { throw .malformed }
        self.content = content
        guard content["jsonrpc"] == "2.0" else { throw .invalid(id: content["id"]) }
        let id = content["id"]
        switch (content["method"], id) {
        case (.string?, nil): kind = .notification
        case (.string?, .string?), (.string?, .integer?): kind = .request(id: id ?? .null)
        case (nil, .string?), (nil, .integer?):
            guard content["result"] != nil || content["error"] != nil else { throw .invalid(id: id) }
            kind = .response(id: id ?? .null)
        default: throw .invalid(id: id)
        }
        // JSON allows line breaks only as white space between tokens (RFC 8259 section 2), so spaces can replace them.
        self.text = Data(text.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 })
    }

    var method: String? { content["method"]?.stringValue }

    /// The protocol version that the message itself names; `nil` if it names none, as before version 2026-07-28.
    var version: JSONValue? { content["params"]?["_meta"]?["io.modelcontextprotocol/protocolVersion"] }

    /// Whether a request only reads, so that it may be sent twice.
    var onlyReads: Bool { method.map(Self.reading.contains) == true }

    private static let reading: Set = [
        "tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get",
        "server/discover", "ping",
    ]
}

/// An error that the client gets in place of a response.
enum MCPError: Error, Equatable {
    /// The message is not a JSON object.
    case malformed
    /// The line is longer than ``MCPMessage/largestLine``.
    case tooLong
    /// The JSON object is not a message of JSON-RPC 2.0. `id` is the identifier in the object, if there is one.
    case invalid(id: JSONValue?)
    /// A header field must repeat a value of the message, but the value is missing or does not fit.
    case notForHeader
    /// A pending request has the same identifier, or too many requests are pending.
    case notAccepted
    /// The request failed for the reason in the text, such as an HTTP status or a session that has ended.
    case failed(String)
    /// The server responded with an HTTP error status and this JSON-RPC error object.
    case refused(JSONValue)
    /// The HTTP response ended without the JSON-RPC response to the request.
    case broken

    private var object: JSONValue {
        switch self {
        case .malformed: Self.object(-32700, "The line is not a JSON object.")
        case .tooLong: Self.object(-32700, "The line is longer than \(MCPMessage.largestLine) bytes.")
        case .invalid: Self.object(-32600, "The message is not one of JSON-RPC 2.0.")
        case .notForHeader: Self.object(-32600, "A part of the message that a header repeats cannot be sent.")
        case .notAccepted: Self.object(-32600, "Another request has this id, or too many requests wait.")
        case .failed(let text): Self.object(-32000, text)
        case .refused(let error): error
        case .broken: Self.object(-32000, "The server's response ended early. It may have acted on the request.")
        }
    }

    private static func object(_ code: Int64, _ message: String) -> JSONValue {
        ["code": .integer(code), "message": .string(message)]
    }

    /// Returns the error response to a request, on one line.
    /// - Parameter id: the identifier of the request. For ``invalid(id:)``, the identifier in the error is used instead. If the
    ///   identifier is `nil`, or neither a string nor an integer, the response contains `null`.
    func response(to id: JSONValue?) -> Data {
        var known = id
        if case .invalid(let own) = self { known = own }
        switch known {
        case .string, .integer: break
        default: known = .null
        }
        // Encoding cannot fail, because the object contains only JSON values.
        return
            (try? JSONEncoder().encode(
                JSONValue.object(["jsonrpc": "2.0", "id": known ?? .null, "error": object]))) ?? Data()
    }
}
