#if os(Linux)
import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TransportChecks

/// What happens to the requests that refresh a session, as the table names it.
enum Outage: String, CaseIterable, Sendable {
    case noName = "the name has no address"
    case refused = "nothing listens"
    case resetAtAccept = "reset when it is accepted"
    case closedInTLS = "closed in the handshake of TLS"
    case alertInTLS = "alert in the handshake of TLS"
    case resetAfterRequest = "reset after the request"
    case closedAfterRequest = "closed after the request"
    case silence = "silence until the deadline"
    case halfResponse = "half a response"
    case serverError = "500 with a page"
    case badGateway = "502 with a page"
    case gatewayTimeout = "504 with a page"
    case captivePage = "200 with the page of a captive portal"
    case proxyAuthentication = "407 of a proxy"
    case proxyUnavailable = "503 of a proxy"
    case lostResponse = "the server acts, its response is lost"
    case brokenResponse = "the server acts, half its response arrives"
    case killedBefore = "killed before the server gets the request"
    case killedAfter = "killed after the server acts"
    case stopped = "stopped for 40 s while the response arrives"

    /// Whether the server gets the request.
    var reachesServer: Bool { fault != nil || self == .killedAfter }

    /// Where the process is killed; `nil` where it lives.
    var kill: Detour.Phase? {
        switch self {
        case .killedBefore: .request
        case .killedAfter: .response
        default: nil
        }
    }

    /// What the server does with its response.
    private var fault: Fault? {
        switch self {
        case .lostResponse: .dropAnswer
        case .brokenResponse: .truncateAnswer
        default: nil
        }
    }

    /// Runs `body` in the outage.
    /// - Parameters:
    ///   - times: more than `body` sends requests.
    ///   - body: what goes on meanwhile.
    func last(
        in scene: ProviderScene, at detour: Detour, atMost times: Int, while body: () async -> Void
    ) async throws {
        if let fault {
            scene.http.fail(fault, pathPrefix: scene.endpoints.refresh, times: times)
            defer { scene.http.clearFaults() }
            await body()
            return
        }
        let place = try place(clock: scene.clock)
        detour.lead(to: place.address)
        defer {
            detour.lead(to: nil)
            place.end()
        }
        await body()
    }

    /// Where the requests arrive instead.
    private struct Place {
        let address: URL?
        /// Ends what is there.
        let end: () -> Void
    }

    private func place(clock: ManualClock) throws -> Place {
        switch self {
        case .noName: return Place(address: URL(string: "http://nowhere.invalid")) {}
        case .refused:
            let port = try ClosedPort()
            return Place(address: URL(string: "http://127.0.0.1:\(port.number)")) { withExtendedLifetime(port) {} }
        default:
            let server = try RawServer { serve($0, clock) }
            let scheme = [.closedInTLS, .alertInTLS].contains(self) ? "https" : "http"
            return Place(address: URL(string: "\(scheme)://127.0.0.1:\(server.port)")) { server.stop() }
        }
    }

    private func serve(_ connection: RawConnection, _ clock: ManualClock) {
        switch self {
        case .resetAtAccept: connection.reset()
        case .closedInTLS: Self.readClientHello(on: connection)
        case .alertInTLS:
            Self.readClientHello(on: connection)
            // handshake_failure (RFC 8446 section 6.2)
            connection.write([21, 3, 3, 0, 2, 2, 40])
            connection.finishSending()
            connection.awaitEnd()
        default:
            guard connection.readRequest() else { return }
            respond(on: connection, clock)
        }
    }

    private func respond(on connection: RawConnection, _ clock: ManualClock) {
        switch self {
        case .resetAfterRequest: connection.reset()
        case .silence:
            // Nothing but the deadline of the refresh sleeps on this clock.
            while clock.sleeperCount == 0 { sched_yield() }
            clock.advance(by: .seconds(31))
            connection.awaitEnd()
        case .halfResponse:
            connection.write(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 200\r\n\r\n{\"access_token\":\"ab"
            )
        case .serverError: connection.write(Self.page("500 Internal Server Error"))
        case .badGateway: connection.write(Self.page("502 Bad Gateway"))
        case .gatewayTimeout: connection.write(Self.page("504 Gateway Timeout"))
        case .captivePage: connection.write(Self.page("200 OK"))
        case .proxyAuthentication:
            connection.write(
                Self.page("407 Proxy Authentication Required", "Proxy-Authenticate: Basic realm=\"p\"\r\n"))
        case .proxyUnavailable: connection.write(Self.page("503 Service Unavailable"))
        default: break
        }
    }

    /// A record of TLS (RFC 8446 section 5.1).
    private static func readClientHello(on connection: RawConnection) {
        guard let head = connection.read(5) else { return }
        connection.read(Int(head[3]) << 8 | Int(head[4]))
    }

    private static func page(_ status: String, _ fields: String = "") -> String {
        let body = "<!doctype html><title>\(status)</title><p>Come back later."
        return "HTTP/1.1 \(status)\r\n\(fields)Content-Type: text/html\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Connection: close\r\n\r\n\(body)"
    }
}
#endif
