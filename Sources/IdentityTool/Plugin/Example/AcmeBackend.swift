import Dispatch
import Foundation
import IdentityKit

/// Acme's server in memory, with one user. A test can revoke the refresh token, and make the server unreachable.
final class AcmeBackend: HTTPTransport {
    private struct State {
        var isOffline = false
        var refreshes = 0
        var issued = 0
        var refreshToken: String?
    }

    private actor Book {
        var state = State()
        func change<Result: Sendable>(_ body: @Sendable (inout State) -> Result) -> Result { body(&state) }
    }

    static let password = "acme-password"
    private let book = Book()

    var refreshes: Int {
        get async { await book.change { $0.refreshes } }
    }

    func revoke() async { await book.change { $0.refreshToken = nil } }
    func goOffline() async { await book.change { $0.isOffline = true } }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let body = try JSONDecoder().decode([String: String].self, from: request.httpBody ?? Data())
        // A real network takes a moment, during which other tasks call too.
        await withCheckedContinuation { moment in DispatchQueue.global().async { moment.resume() } }
        let answer = await book.change { state -> [String: JSONValue]? in
            if let refreshToken = body["refreshToken"] {
                state.refreshes += 1
                guard refreshToken == state.refreshToken else { return [:] }
            } else if body["password"] != Self.password {
                return [:]
            }
            if state.isOffline { return nil }
            state.issued += 1
            let refreshToken = "acme-refresh-\(state.issued)"
            state.refreshToken = refreshToken
            return [
                "user": "ada", "scope": "profile mail", "accessToken": .string("acme-access-\(state.issued)"),
                "refreshToken": .string(refreshToken), "expiresIn": 3600,
            ]
        }
        guard let answer else { throw TransportError.connectionRefused(host: "acme.example") }
        let url = request.url ?? URL(fileURLWithPath: "/")
        let status = answer.isEmpty ? 401 : 200
        guard let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil) else {
            throw TransportError.connectionLost(host: "acme.example")
        }
        return (try JSONEncoder().encode(answer), response)
    }
}
