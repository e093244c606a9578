import Foundation
import IdentityKit

/// A message of the Model Context Protocol (JSON-RPC 2.0), as it was written but in one line.
struct MCPMessage: Sendable {
    enum Kind: Sendable, Equatable {
        case request(id: JSONValue)
        case notification
        case response(id: JSONValue)
    }

    let kind: Kind
    let content: JSONValue
    /// The text, without a line break.
    let text: Data

    /// The largest message of the client, in bytes.
    static let largestLine = 4 << 20
    /// The largest message of a server, in bytes. It may hold pictures.
    static let largestFromServer = 16 << 20

    /// - Throws: ``MCPError``.
    init(parsing text: Data) throws(MCPError) {
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
        // Between the values of a document, and nowhere else, line breaks are white space (RFC 8259 section 2).
        self.text = Data(text.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 })
    }

    var method: String? { content["method"]?.stringValue }

    /// The version that a request carries itself, since 2026-07-28.
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
    /// The object is no message.
    case invalid(id: JSONValue?)
    /// A part of it belongs into a header field, which cannot hold it.
    case notForHeader
    /// The identifier is that of another request, or too many wait.
    case notAccepted
    /// A message of the server, or about the session, in the place of a response.
    case failed(String)
    /// An error of the server, for a request that it did not name.
    case refused(JSONValue)
    /// The response ended before there was one to the request.
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

    /// The response to the request `id`, in one line; `null` where that is not known.
    func response(to id: JSONValue?) -> Data {
        var known = id
        if case .invalid(let own) = self { known = own }
        switch known {
        case .string, .integer: break
        default: known = .null
        }
        // A value made of texts and numbers always encodes.
        return
            (try? JSONEncoder().encode(
                JSONValue.object(["jsonrpc": "2.0", "id": known ?? .null, "error": object]))) ?? Data()
    }
}
