import Foundation
import IdentityKit

/// The response of a protected resource that refuses a request, such as one without a token.
struct ResourceRefusal: Sendable, Equatable {
    let status: Int
    /// The challenge; `nil` if the response has none of the scheme `Bearer` or `DPoP`.
    let challenge: ResourceChallenge?

    /// Reads a response; `nil` unless its status is 401 or 403.
    init?(_ response: HTTPURLResponse) {
        guard [401, 403].contains(response.statusCode) else { return nil }
        status = response.statusCode
        challenge = ResourceChallenge(response)
    }
}

/// Sends requests without a token until the resource responds with a challenge. The first is `server/discover`, with
/// which clients of newer versions of the Model Context Protocol begin. Then follow `initialize`, with which clients of
/// older versions begin, and a plain GET. A session that `initialize` begins is deleted again.
struct ResourceProbe: Sendable {
    let resource: URL
    let transport: any HTTPTransport

    /// The responses to the requests of a probe.
    struct Outcome: Sendable {
        /// The first refusal that has a challenge, or else the first refusal; `nil` if none arrived within ``limit``.
        var refusal: ResourceRefusal?
        /// The first response by which the resource failed or asked to wait; `nil` if there was none.
        fileprivate(set) var failure: MetadataPlace?
        /// Whether ``limit`` passed before the resource had responded to all requests.
        fileprivate(set) var isLate = false

        init(_ refusal: ResourceRefusal?) { self.refusal = refusal }
    }

    /// The time limit for all requests together.
    static let limit = Duration.seconds(5)

    private static let version = "io.modelcontextprotocol/protocolVersion"
    private static let client: JSONValue = ["name": "swift-identity", "version": "1"]

    /// Returns the responses within ``limit``. Bodies are not read, because an event stream may never end.
    /// - Throws: `CancellationError`, or what the transport throws. A lost connection is an error only if no request
    ///   gets a response.
    func outcome(on time: TimeSource) async throws -> Outcome {
        let found = Locked(Outcome(nil))
        do {
            try await Deadline.run(Self.limit, on: time, orThrow: TookTooLong()) { try await ask(found) }
        } catch is TookTooLong {
            // A slow resource does not end the discovery, because the metadata may be at its well-known address.
            found.withLock { $0.isLate = true }
        }
        return found.withLock { $0 }
    }

    private func ask(_ found: Locked<Outcome>) async throws {
        let discover: JSONValue = [
            "_meta": [
                Self.version: "2026-07-28", "io.modelcontextprotocol/clientInfo": Self.client,
                "io.modelcontextprotocol/clientCapabilities": [:],
            ]
        ]
        let initialize: JSONValue = [
            "protocolVersion": "2025-11-25", "capabilities": [:], "clientInfo": Self.client,
        ]
        var lost: TransportError?
        var isReached = false
        for request in [
            try message("server/discover", discover, version: "2026-07-28"), try message("initialize", initialize),
            get,
        ] {
            let head: HTTPURLResponse
            do {
                head = try await transport.stream(for: request).head
                isReached = true
            } catch TransportError.connectionLost(let host) {
                // Some servers close the connection after a request that they do not know.
                lost = .connectionLost(host: host)
                continue
            }
            let place = MetadataPlace(resource, status: head.statusCode)
            if place.mayPass { found.withLock { $0.failure = $0.failure ?? place } }
            if let refusal = ResourceRefusal(head) {
                found.withLock { $0.refusal = refusal.challenge == nil ? $0.refusal ?? refusal : refusal }
                if refusal.challenge != nil { return }
            }
            if let session = head.value(forHTTPHeaderField: Self.session), (200..<300).contains(head.statusCode) {
                var end = get
                end.httpMethod = "DELETE"
                end.setValue(session, forHTTPHeaderField: Self.session)
                _ = try? await transport.stream(for: end).head
            }
        }
        if let lost, !isReached { throw lost }
    }

    private static let session = "Mcp-Session-Id"

    private var get: URLRequest {
        var request = URLRequest(url: resource)
        request.setValue("application/json, text/event-stream", forHTTPHeaderField: "Accept")
        return request
    }

    private func message(
        _ method: String, _ parameters: JSONValue, version: String? = nil
    ) throws -> URLRequest {
        var request = try URLRequest.json(
            ["jsonrpc": "2.0", "id": 1, "method": .string(method), "params": parameters], to: resource,
            method: "POST")
        request.setValue("application/json, text/event-stream", forHTTPHeaderField: "Accept")
        request.setValue(version, forHTTPHeaderField: "MCP-Protocol-Version")
        request.setValue(version.map { _ in method }, forHTTPHeaderField: "Mcp-Method")
        return request
    }

    private struct TookTooLong: Error {}
}
