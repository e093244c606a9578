import Foundation
import IdentityKit

/// Lantern in memory: Ada, one session, and her orders.
actor LanternStandIn: HTTPTransport {
    private(set) var agents: Set<String> = []
    private(set) var revoked: [String] = []
    private var issued = 0
    private var isTokenKnown = false

    /// Forgets the access token, as a server does that is started anew.
    func forgetToken() { isTokenKnown = false }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        agents.insert(request.value(forHTTPHeaderField: "User-Agent") ?? "")
        let body = request.httpBody.flatMap { try? JSONValue(parsing: $0) } ?? [:]
        let (status, answer): (Int, JSONValue) =
            switch request.url?.lastPathComponent {
            case "token": token(for: body)
            case "revoke": revoke(body)
            default: orders(for: request.value(forHTTPHeaderField: "Authorization"))
            }
        guard let url = request.url,
            let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
        else { throw TransportError.connectionLost(host: "lantern.example") }
        return (try JSONEncoder().encode(answer), head)
    }

    private func token(for body: JSONValue) -> (Int, JSONValue) {
        let isRefresh = body["refreshToken"]?.stringValue == "refresh-\(issued)"
        let isAda = body["user"]?.stringValue == "ada" && body["password"]?.stringValue == "Enchantress-1"
        guard isRefresh || isAda else { return (401, [:]) }
        issued += 1
        isTokenKnown = true
        return (
            200,
            [
                "user": "ada", "name": "Ada Lovelace", "scopes": ["read"], "expiresIn": 600,
                "token": .string("token-\(issued)"), "refreshToken": .string("refresh-\(issued)"),
            ]
        )
    }

    private func revoke(_ body: JSONValue) -> (Int, JSONValue) {
        revoked.append(body["token"]?.stringValue ?? "")
        return (200, [:])
    }

    private func orders(for authorization: String?) -> (Int, JSONValue) {
        isTokenKnown && authorization == "Bearer token-\(issued)" ? (200, ["lamp"]) : (401, [:])
    }
}
