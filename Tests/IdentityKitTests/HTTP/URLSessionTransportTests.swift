import Foundation
import IdentityKit
import IdentityTesting
import LocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct URLSessionTransportTests {
    private func server(_ response: LocalResponse) async throws -> LocalHTTPServer {
        try await LocalHTTPServer.start { _ in response }
    }

    @Test("The answer comes back whole", arguments: [200, 201, 204, 400, 404, 500])
    func answers(status: Int) async throws {
        let server = try await server(LocalResponse(status: status, headers: [("X-Test", "yes")], body: Data()))
        let (body, head) = try await URLSessionTransport().data(for: URLRequest(url: server.url))
        #expect(head.statusCode == status)
        #expect(head.value(forHTTPHeaderField: "x-test") == "yes")
        #expect(body.isEmpty)
        await server.stop()
    }

    @Test(
        "A redirect is the answer and is not followed", .guards("redirected credentials"),
        arguments: [301, 302, 303, 307, 308])
    func redirects(status: Int) async throws {
        let server = try await server(
            LocalResponse(status: status, headers: [("Location", "/elsewhere")], body: Data("moved".utf8)))
        let (body, head) = try await URLSessionTransport().data(for: URLRequest(url: server.url))
        #expect(head.statusCode == status)
        #expect(head.value(forHTTPHeaderField: "Location")?.hasSuffix("/elsewhere") == true)
        #expect(String(decoding: body, as: UTF8.self) == "moved")
        #expect(server.log.count == 1)
        await server.stop()
    }

    @Test("A 401 with a Basic challenge is an answer too", arguments: ["Basic", "Basic realm=\"x\"", "Bearer"])
    func challenges(challenge: String) async throws {
        let server = try await server(
            .json(["error": "invalid_client"], status: 401).with(header: "WWW-Authenticate", challenge))
        let (body, head) = try await URLSessionTransport().data(for: URLRequest(url: server.url))
        #expect(head.statusCode == 401)
        #expect(try JSONValue(parsing: body)["error"] == "invalid_client")
        await server.stop()
    }

    @Test("A server that speaks no TLS is an insecure connection")
    func noTLS() async throws {
        let server = try await server(.text("plain"))
        let host = server.url.authority
        let url = try #require(URL(string: "https://\(host)/"))
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().data(for: URLRequest(url: url))
        }
        guard case .insecureConnection(host, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await server.stop()
    }

    @Test("Cookies are neither kept nor sent")
    func cookies() async throws {
        let server = try await LocalHTTPServer.start { request in
            LocalResponse.text(request.header("Cookie") ?? "none").with(header: "Set-Cookie", "a=b; Path=/")
        }
        let transport = URLSessionTransport()
        _ = try await transport.data(for: URLRequest(url: server.url))
        let (body, _) = try await transport.data(for: URLRequest(url: server.url))
        #expect(String(decoding: body, as: UTF8.self) == "none")
        await server.stop()
    }

    @Test("An answer above the limit is refused")
    func sizeLimit() async throws {
        let server = try await server(LocalResponse(status: 200, body: Data(count: 300_000)))
        let transport = URLSessionTransport(maximumResponseSize: 100_000)
        await #expect(throws: TransportError.responseTooLarge(host: server.url.authority, limit: 100_000)) {
            try await transport.data(for: URLRequest(url: server.url))
        }
        await server.stop()
    }

    @Test("A server that never answers meets the deadline")
    func deadline() async throws {
        let server = try await server(.text("never"))
        server.fail(.hang)
        let clock = ManualClock()
        let transport = URLSessionTransport(deadline: .seconds(30), time: clock.timeSource)
        let answer = Task { try await transport.data(for: URLRequest(url: server.url)) }
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(by: .seconds(30))
        await #expect(throws: TransportError.timedOut(host: server.url.authority, after: .seconds(30))) {
            try await answer.value
        }
        await server.stop()
    }

    @Test("Nothing listening is a refused connection")
    func refused() async throws {
        let server = try await server(.text(""))
        await server.stop()
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().data(for: URLRequest(url: server.url))
        }
        #expect(error == .connectionRefused(host: server.url.authority))
        #expect(error?.wasNeverSent == true)
    }

    @Test("A dropped or truncated answer is an error, not half an answer")
    func brokenAnswers() async throws {
        let server = try await server(.text("a whole answer"))
        for fault in [Fault.dropAnswer, .truncateAnswer] {
            server.fail(fault)
            let error = await #expect(throws: TransportError.self) {
                try await URLSessionTransport().data(for: URLRequest(url: server.url))
            }
            #expect(error?.wasNeverSent == false)
        }
        await server.stop()
    }

    @Test("Cancelling a waiting request ends it, and cancelling storms leave the transport usable")
    func cancellation() async throws {
        let server = try await server(.text("ok"))
        let transport = URLSessionTransport()
        server.fail(.hang)
        let waiting = Task { try await transport.data(for: URLRequest(url: server.url)) }
        while server.log.isEmpty { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }

        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let request = Task { try await transport.data(for: URLRequest(url: server.url)) }
                    for _ in 0..<(index % 17) { await Task.yield() }
                    request.cancel()
                    _ = await request.result
                }
            }
        }
        let (body, _) = try await transport.data(for: URLRequest(url: server.url))
        #expect(String(decoding: body, as: UTF8.self) == "ok")
        await server.stop()
    }

    @Test("A request whose connection is dropped is not sent again, also on a connection that was used before")
    func noSilentRetry() async throws {
        let server = try await server(.text("ok"))
        let transport = URLSessionTransport()
        _ = try await transport.data(for: URLRequest(url: server.url))
        server.fail(.dropAnswer)
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        request.httpBody = Data("spend=once".utf8)
        await #expect(throws: TransportError.connectionLost(host: server.url.authority)) {
            try await transport.data(for: request)
        }
        #expect(server.log.count == 2)
        await server.stop()
    }
}
