import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityLocalServers

/// Which host a request may name. A page of the web can let its own name lead to this machine (DNS rebinding).
@Suite(.endsInTime, .stopsServers) struct HostTests {
    /// The status of a request with these `Host` fields.
    private func status(_ hosts: [String], at url: URL, _ path: String = "/") async throws -> String {
        let port = try #require(url.port)
        let fields = hosts.map { "Host: \($0)\r\n" }.joined()
        let request = "GET \(path) HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n"
        let response = try await shell(
            "exec 3<>/dev/tcp/127.0.0.1/\(port) || exit 7; printf '%s' \"$REQUEST\" >&3; cat <&3",
            environment: ["REQUEST": request])
        return String(response.dropFirst("HTTP/1.1 ".count).prefix(3))
    }

    @Test("None of the five ports takes a request that names two hosts, none, or another one")
    func fivePorts() async throws {
        let clock = ManualClock()
        let insForge = try await LocalInsForgeServer.start(controlPort: 0, time: clock.timeSource).untilTestEnds()
        let control = try #require(insForge.controlURL)
        let visitor = try await DashboardVisitor.start()
        let (thunderID, openIDConnect) = (visitor.thunderID.server.url, visitor.openIDConnect.server.url)
        for (url, path) in [
            (thunderID, "/oauth2/jwks"), (openIDConnect, "/jwks"), (insForge.url, "/api/auth/public-config"),
            (visitor.dashboard.url, "/"), (control, "/outbox"),
        ] {
            let own = "127.0.0.1:\(url.port ?? 0)"
            let cases = [
                ("200", [[own], ["localhost:\(url.port ?? 0)"]]),
                ("400", [[own, "attacker.example"], ["attacker.example", own], [own, own], []]),
                (
                    "421",
                    [
                        ["attacker.example"], ["attacker.example:\(url.port ?? 0)"],
                        ["127.0.0.1.attacker.example"], ["@"],
                    ]
                ),
            ]
            for (expected, requests) in cases {
                for hosts in requests {
                    let status = try await status(hosts, at: url, path)
                    #expect(status == expected, "\(url)\(path) \(hosts)")
                }
            }
        }
    }

    @Test("A server behind a proxy is also called by the proxy's name")
    func publicName() async throws {
        let server = try await LocalThunderIDServer.start(configuration: .init(issuer: "https://ID.example.org/t"))
            .untilTestEnds()
        #expect(try await status(["id.example.org"], at: server.url, "/oauth2/jwks") == "200")
        #expect(try await status(["www.example.org"], at: server.url, "/oauth2/jwks") == "421")
    }

    @Test("The log keeps the last requests, and the beginnings of their paths")
    func log() async throws {
        #expect(LocalHTTPServer.loggedRequests == 10_000)
        var log = Recent<Int>(LocalHTTPServer.loggedRequests)
        for number in 0..<25_000 { log.append(number) }
        #expect(log.values == Array(15_000..<25_000))
        let server = try await LocalHTTPServer.start { _ in .text("here") }
        let path = "/" + String(repeating: "a", count: 5000)
        let url = try #require(URL(string: server.url.absoluteString + path))
        _ = try await DefaultTransport.make().data(for: URLRequest(url: url))
        #expect(server.log.map(\.path) == [String(path.prefix(2048))])
        await server.stop()
    }
}
