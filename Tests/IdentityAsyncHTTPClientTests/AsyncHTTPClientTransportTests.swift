#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if AsyncHTTPClient
import Foundation
import IdentityAsyncHTTPClient
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing
import TransportChecks

@Suite(.endsInTime) struct AsyncHTTPClientTransportTests {
    @Test("The transport conforms", arguments: TransportCheck.all)
    func conforms(check: TransportCheck) async throws {
        try await check.run(
            TransportCheck.Maker { deadline, size, time in
                var options = AsyncHTTPClientTransport.Options()
                options.deadline = deadline
                options.maximumResponseSize = size
                return try AsyncHTTPClientTransport(options: options, time: time)
            })
    }

    @Test("A further authority is trusted for its own host, and for no other")
    func authority() async throws {
        for (host, isTrusted) in [("localhost", true), ("other.example", false)] {
            let server = try await TLSServer.start(host: host)
            var options = AsyncHTTPClientTransport.Options()
            options.trustedCertificates = try TrustedCertificates(server.certificate)
            let url = try #require(URL(string: "https://localhost:\(server.port)/"))
            let transport = try AsyncHTTPClientTransport(options: options)
            if isTrusted {
                let (_, head) = try await transport.data(for: URLRequest(url: url))
                #expect(head.statusCode == 200)
            } else {
                let expected = TransportError.untrustedCertificate(host: "localhost:\(server.port)", .otherHost)
                await #expect(throws: expected) { try await transport.data(for: URLRequest(url: url)) }
            }
            server.stop()
        }
    }

    @Test("A server's own certificate is one line of a client's configuration, with this transport on every system")
    func ownCertificate() async throws {
        let server = try await TLSServer.start(host: "localhost")
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), transport: try AsyncHTTPClientTransport())
        let url = try #require(URL(string: "https://localhost:\(server.port)/"))
        let trusting = try environment.trusting(TrustedCertificates(server.certificate))
        #expect(try await trusting.transport.data(for: URLRequest(url: url)).1.statusCode == 200)
        // For whoever was told of it alone.
        await #expect(throws: TransportError.self) { try await environment.transport.data(for: URLRequest(url: url)) }
        server.stop()
    }

    @Test("What is no certificate is refused before the first request")
    func noCertificate() throws {
        var options = AsyncHTTPClientTransport.Options()
        // A sequence, as a certificate is, of nothing.
        options.trustedCertificates = try TrustedCertificates(Data([0x30, 0x00]))
        #expect(throws: TrustedCertificatesError.notACertificate) { try AsyncHTTPClientTransport(options: options) }
    }

    @Test("The proxy is asked with its password for a way to other machines, and not for one to this machine")
    func proxy() async throws {
        let asked = Locked<[String]>([])
        let proxy = try await LocalHTTPServer.start { request in
            asked.withLock {
                $0.append("\(request.method) \(request.target) \(request.header("Proxy-Authorization") ?? "none")")
            }
            return LocalResponse(status: 407, body: Data())
        }
        let server = try await LocalHTTPServer.start { _ in .text("direct") }
        var options = AsyncHTTPClientTransport.Options()
        options.proxy = .init(
            host: "127.0.0.1", port: try #require(proxy.url.port), user: "ada", password: "hunter2")
        let transport = try AsyncHTTPClientTransport(options: options)
        let other = try #require(URL(string: "https://id.example.com/token"))
        let error = await #expect(throws: TransportError.self) {
            try await transport.data(for: URLRequest(url: other))
        }
        #expect(error?.failureCode == "transport_failed" && error?.message.contains("hunter2") == false)
        let password = Data("ada:hunter2".utf8).base64EncodedString()
        #expect(asked.withLock { $0 } == ["CONNECT id.example.com:443 Basic \(password)"])
        let direct = try await transport.data(for: URLRequest(url: server.url)).0
        #expect(String(decoding: direct, as: UTF8.self) == "direct")
        #expect(asked.withLock { $0.count } == 1)
        await proxy.stop()
        await server.stop()
    }

    @Test("No more connections than allowed go to one host, and every request is answered")
    func connections() async throws {
        let requests = Locked(0)
        let server = try await LocalHTTPServer.start { _ in
            requests.withLock { $0 += 1 }
            // The first one keeps its connection until another has come on a second.
            while requests.withLock({ $0 }) < 2 { await Task.yield() }
            return .text("ok")
        }
        var options = AsyncHTTPClientTransport.Options()
        options.maximumConnectionsPerHost = 2
        let transport = try AsyncHTTPClientTransport(options: options)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask { try await transport.data(for: URLRequest(url: server.url)).1.statusCode }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(requests.withLock { $0 } == 16 && server.connectionCount == 2)
        await server.stop()
    }

    @Test("A body that is a stream is refused, because it cannot be sent")
    func stream() async throws {
        let server = try await LocalHTTPServer.start { _ in .text("ok") }
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("a".utf8))
        let refused = request
        await #expect(throws: TransportError.self) { try await AsyncHTTPClientTransport().data(for: refused) }
        #expect(server.log.isEmpty)
        await server.stop()
    }
}
#endif
