import Foundation
import IdentityKit
import IdentityLocalServers

/// A server of the Model Context Protocol at `/mcp`, for the tokens of the local OpenID Connect server or any others.
struct MCPStandIn: Sendable {
    typealias Behaviour = @Sendable (_ request: LocalRequest, _ message: JSONValue) async -> LocalResponse?

    static let session = "a-session"

    let http: LocalHTTPServer
    private let received: Locked<[LocalRequest]>

    /// - Parameters:
    ///   - behaviour: the response to a message with a token; `nil` for the usual one.
    ///   - listening: the response to a request for the stream of the server's own messages.
    static func start(
        issuer: String = "", _ behaviour: @escaping Behaviour = { _, _ in nil },
        listening: @escaping @Sendable (LocalRequest) async -> LocalResponse = { _ in LocalResponse(status: 405) }
    ) async throws -> MCPStandIn {
        let received = Locked<[LocalRequest]>([])
        let http = try await LocalHTTPServer.start(maximumBodySize: 16 << 20) { request in
            let base = "http://\(request.header("Host") ?? "")"
            if request.path == "/.well-known/oauth-protected-resource/mcp" {
                return .json([
                    "resource": .string(base + "/mcp"), "authorization_servers": [.string(issuer)],
                    "scopes_supported": ["read"], "resource_name": "Notes",
                ])
            }
            guard request.path == "/mcp" else { return LocalResponse(status: 404) }
            guard request.bearerToken != nil else { return refusal(base, 401) }
            guard request.method != "GET" else { return await listening(request) }
            received.withLock { $0.append(request) }
            let message = request.json ?? .null
            if let response = await behaviour(request, message) { return response }
            return usual(message)
        }
        return MCPStandIn(http: http, received: received)
    }

    /// A server that refuses the first token that it sees, whenever it comes, as one that has expired.
    static func refusingFirstToken(of issuer: String) async throws -> MCPStandIn {
        let first = Locked<String?>(nil)
        return try await start(issuer: issuer) { request, _ in
            let refused = first.withLock { first in
                if first == nil { first = request.bearerToken }
                return first
            }
            guard request.bearerToken == refused else { return nil }
            return refusal("http://\(request.header("Host") ?? "")", 401, ", error=\"invalid_token\"")
        }
    }

    private static func usual(_ message: JSONValue) -> LocalResponse {
        guard let id = message["id"], let method = message["method"]?.stringValue else {
            return LocalResponse(status: 202)
        }
        guard method == "initialize" else { return .json(result(["did": .string(method)], for: id)) }
        return .json(
            result(["protocolVersion": "2025-11-25", "capabilities": [:]], for: id),
            headers: [("Mcp-Session-Id", session)])
    }

    static func result(_ result: JSONValue, for id: JSONValue?) -> JSONValue {
        ["jsonrpc": "2.0", "id": id ?? .null, "result": result]
    }

    /// A stream with this text as its body.
    static func stream(_ body: String) -> LocalResponse {
        LocalResponse(status: 200, headers: [("Content-Type", "text/event-stream")], body: Data(body.utf8))
    }

    /// A message as an event.
    static func event(_ message: JSONValue) -> String {
        "data: \(String(decoding: LocalResponse.json(message).body, as: UTF8.self))\n\n"
    }

    static func refusal(_ base: String, _ status: Int, _ more: String = "") -> LocalResponse {
        let place = "resource_metadata=\"\(base)/.well-known/oauth-protected-resource/mcp\""
        return LocalResponse(status: status, headers: [("WWW-Authenticate", "Bearer \(place)\(more)")])
    }

    var address: String { http.url.absoluteString + "/mcp" }

    /// The requests that had a token, oldest first.
    var requests: [LocalRequest] { received.withLock { $0 } }

    /// The methods of the messages that were received.
    var methods: [String] { requests.map { $0.json?["method"]?.stringValue ?? $0.method } }
}

/// A message of a client.
enum MCPLine {
    /// A request.
    static func request(
        _ id: JSONValue, _ method: String, _ params: [String: JSONValue] = [:], version: JSONValue? = nil
    ) -> String {
        var params = params
        if let version { params["_meta"] = ["io.modelcontextprotocol/protocolVersion": version] }
        return line(["id": id, "method": .string(method), "params": .object(params)])
    }

    static func notification(_ method: String, _ params: [String: JSONValue] = [:]) -> String {
        line(["method": .string(method), "params": .object(params)])
    }

    static func line(_ members: [String: JSONValue]) -> String {
        let message = JSONValue.object(members.merging(["jsonrpc": "2.0"]) { $1 })
        return String(decoding: LocalResponse.json(message).body, as: UTF8.self) + "\n"
    }
}

extension ToolProcess.Result {
    /// The messages on standard output, by the identifier that they have; every line has to be one.
    func messages() throws -> [JSONValue: JSONValue] {
        var messages: [JSONValue: JSONValue] = [:]
        for line in output.split(separator: "\n") {
            let message = try JSONValue(parsing: Data(line.utf8))
            messages[message["id"] ?? message["method"] ?? .null] = message
        }
        return messages
    }
}
