#if os(Linux)
import Foundation
import FoundationNetworking
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing
import TransportChecks

@testable import IdentityKit

@Suite(.endsInTime) struct CurlTransportTests {
    @Test("The transport conforms", .guards("redirected credentials"), arguments: TransportCheck.all)
    func conforms(check: TransportCheck) async throws {
        try await check.run(
            TransportCheck.Maker {
                try #require(CurlTransport(deadline: $0, maximumResponseSize: $1, time: $2))
            })
    }

    private let transport: CurlTransport

    init() throws { transport = try #require(CurlTransport()) }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func post(_ server: URL, alone: Bool = false) -> URLRequest {
        var request = URLRequest(url: server)
        request.httpMethod = "POST"
        request.httpBody = Data("a=b".utf8)
        if alone { request.needsOwnConnection() }
        return request
    }

    // MARK: Header fields

    @Test("A field that is repeated is a list, and one whose name is no token is left out")
    func fields() throws {
        var lines = ResponseLines()
        for text in ["HTTP/1.1 200 OK", "a: 1", "b\u{301}: 2", "A: 3", "a b: 4", ": 5", "a:", ""] {
            var line = text + "\r\n"
            line.withUTF8 { _ = lines.take(UnsafeRawBufferPointer($0)) }
        }
        let response = try #require(lines.response(from: url("http://localhost/")))
        #expect(response.value(forHTTPHeaderField: "a") == "1, 3, " && response.allHeaderFields.count == 1)
    }

    // MARK: Deadlines

    @Test("A process that was stopped while it connected sends nothing after the deadline")
    func late() async throws {
        let server = try await LocalHTTPServer.start { _ in .text("ok") }
        let request = try CurlRequest(post(server.url), host: "h")
        let transfer = CurlTransfer(request, host: "h", limit: nil, before: [Deadline(.zero, on: .system)])
        #expect(!transfer.sends())
        #expect(!transfer.wasSent)
        await #expect(throws: TransportError.notSentInTime(host: "h")) { try await transfer.head() }
        await server.stop()
    }

    @Test("A request of a refresh that had no connection at the deadline was not sent", arguments: [true, false])
    func connecting(connects: Bool) async throws {
        // For TLS it says nothing, so that there is no connection.
        let (clock, arrival) = (ManualClock(), AsyncStream.makeStream(of: Void.self))
        let server = try RawServer { connection in
            if connects { connection.readHead() }
            arrival.continuation.yield()
            connection.awaitEnd()
        }
        let address = try url("\(connects ? "http" : "https")://127.0.0.1:\(server.port)/")
        let deadline = Deadline(.seconds(10), on: clock.timeSource)
        async let response = transport.data(for: post(address), upTo: 0, before: deadline)
        var arrivals = arrival.stream.makeAsyncIterator()
        await arrivals.next()
        clock.advance(by: .seconds(10))
        do {
            _ = try await response
            Issue.record("It has got a response.")
        } catch {
            #expect((error as? TransportError)?.wasNeverSent == !connects)
        }
        server.stop()
    }

    // MARK: Connections

    @Test("A request that spends something has a connection of its own, and others share one")
    func connections() async throws {
        let server = try await LocalHTTPServer.start { _ in .text("ok") }
        for _ in 0..<3 { _ = try await transport.data(for: post(server.url)) }
        #expect(server.connectionCount == 1)
        _ = try await transport.data(for: post(server.url, alone: true))
        #expect(server.connectionCount == 2)
        _ = try await transport.data(for: URLRequest(url: server.url))
        #expect(server.connectionCount == 2)
        await server.stop()
    }

    @Test(
        "A kept connection that dies before the response leaves one request, which may have been sent",
        arguments: ["GET", "POST"])
    func deadConnection(method: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            connection.readHead()
        }
        let address = try url("http://127.0.0.1:\(server.port)/")
        _ = try await transport.data(for: URLRequest(url: address))
        let request = method == "POST" ? post(address) : URLRequest(url: address)
        let error = await #expect(throws: TransportError.self) { try await transport.data(for: request) }
        #expect(error == .connectionLost(host: address.authority) && error?.wasNeverSent == false)
        #expect(server.requestCount == 2)
        server.stop()
    }

    @Test("A kept connection of HTTP/2 that dies before the response leaves one request", arguments: ["GET", "POST"])
    func deadHTTP2Connection(method: String) async throws {
        let (connection, other) = try RawConnection.pair()
        let server = try TLSServer.start(host: "localhost", application: "h2", through: other)
        let trusting = transport.trusting(try TrustedCertificates(server.certificate))
        let address = try url("https://localhost:\(server.port)/")
        let (served, serves) = AsyncStream.makeStream(of: Int.self)
        // Reading waits, which no task may.
        Thread {
            var count = connection.readHTTP2Head() == nil ? 0 : 1
            connection.write(HTTP2.headers([(":status", "200")]) + HTTP2.data("{}"))
            if connection.readHTTP2Headers() != nil { count += 1 }
            server.end()
            serves.yield(count)
        }.start()
        var first: Int?
        // The server begins to listen some time after its start.
        while first == nil { first = try? await trusting.data(for: URLRequest(url: address)).1.statusCode }
        #expect(first == 200)
        let request = method == "POST" ? post(address) : URLRequest(url: address)
        let error = await #expect(throws: TransportError.self) { try await trusting.data(for: request) }
        #expect(error == .connectionLost(host: address.authority) && error?.wasNeverSent == false)
        for await count in served {
            #expect(count == 2)
            break
        }
    }

    @Test("A kept connection of HTTP/2 without a response in time is closed, and the next request uses another one")
    func silentHTTP2Connection() async throws {
        let (connection, other) = try RawConnection.pair()
        let server = try TLSServer.start(host: "localhost", application: "h2", through: other)
        let clock = ManualClock()
        let trusting = try #require(CurlTransport(time: clock.timeSource))
            .trusting(try TrustedCertificates(server.certificate))
        let request = URLRequest(url: try url("https://localhost:\(server.port)/"))
        let further = Locked(0)
        // Reading waits, which no task may.
        Thread {
            guard connection.readHTTP2Head() != nil else { return }
            connection.write(HTTP2.headers([(":status", "200")]) + HTTP2.data("{}"))
            while connection.readHTTP2Headers() != nil { further.withLock { $0 += 1 } }
        }.start()
        // The server begins to listen some time after its start.
        while (try? await trusting.data(for: request)) == nil {}
        let silent = Task { try await trusting.data(for: request) }
        while further.withLock({ $0 }) == 0 || clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(by: .seconds(30))
        let error = await #expect(throws: TransportError.self) { try await silent.value }
        #expect(error?.failureCode == "request_timed_out")
        // The server takes one connection, and ends with it.
        let next = Task { try await trusting.data(for: request) }
        while server.isRunning, further.withLock({ $0 }) == 1 { await Task.yield() }
        #expect(further.withLock { $0 } == 1)
        next.cancel()
        _ = await next.result
    }

    @Test("A connection of TLS that ends after the request may have taken it along")
    func endOfTLS() async throws {
        let (connection, other) = try RawConnection.pair()
        let server = try TLSServer.start(host: "localhost", application: "http/1.1", through: other)
        let trusting = transport.trusting(try TrustedCertificates(server.certificate))
        let address = try url("https://localhost:\(server.port)/")
        // Reading waits, which no task may.
        Thread {
            connection.readHead()
            server.end()
        }.start()
        var error = TransportError.connectionRefused(host: "")
        // The server begins to listen some time after its start.
        while case .connectionRefused = error {
            error = try #require(
                await #expect(throws: TransportError.self) { try await trusting.data(for: URLRequest(url: address)) })
        }
        #expect(error == .connectionLost(host: address.authority) && !error.wasNeverSent)
    }

    @Test("An address of IPv6 is one like any other")
    func newerAddress() async throws {
        let server = try RawServer(AF_INET6) { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        }
        let request = URLRequest(url: try url("http://[::1]:\(server.port)/"))
        #expect(try await transport.data(for: request).1.statusCode == 200)
        server.stop()
    }

    @Test(
        "A handshake, a proxy and a server that say nothing meet the deadline, and the error says what was sent",
        arguments: ["https", "proxy", "http"])
    func silence(kind: String) async throws {
        let (heard, hears) = AsyncStream.makeStream(of: Void.self)
        let server = try RawServer { connection in
            connection.read(5)
            hears.yield()
            connection.awaitEnd()
        }
        let clock = ManualClock()
        var transport = try #require(CurlTransport(time: clock.timeSource))
        if kind == "proxy" { transport = transport.through(proxy: try url("http://127.0.0.1:\(server.port)")) }
        let address = try url("\(kind == "http" ? "http" : "https")://127.0.0.1:\(server.port)/")
        let answer = Task { [transport] in try await transport.data(for: URLRequest(url: address)) }
        for await _ in heard { break }
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(by: .seconds(30))
        let error = await #expect(throws: TransportError.self) { try await answer.value }
        #expect(error?.wasNeverSent == (kind != "http"), "\(String(describing: error))")
        server.stop()
    }

    @Test("The system probes an idle connection, and ends one on which nothing is acknowledged")
    func probes() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            connection.awaitEnd()
        }
        _ = try await transport.data(for: URLRequest(url: url("http://127.0.0.1:\(server.port)/")))
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").compactMap { Int32($0) }
        #expect(descriptors.contains { isProbed($0, to: server.port) })
        server.stop()
    }

    /// Whether `descriptor` is a socket that is connected to `port`, that the system probes, and that it ends after 90
    /// seconds without an acknowledgement, in which there are several probes.
    private func isProbed(_ descriptor: Int32, to port: Int) -> Bool {
        var peer = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutableBytes(of: &peer) {
            getpeername(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size) == 0
        }
        guard isConnected, UInt16(bigEndian: peer.sin_port) == port else { return false }
        func value(of option: Int32, at level: Int32) -> Int32? {
            var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            return getsockopt(descriptor, level, option, &value, &size) == 0 ? value : nil
        }
        let tcp = Int32(IPPROTO_TCP)
        return value(of: SO_KEEPALIVE, at: SOL_SOCKET) == 1 && value(of: TCP_KEEPIDLE, at: tcp) == 60
            && value(of: TCP_KEEPINTVL, at: tcp) == 10 && value(of: TCP_USER_TIMEOUT, at: tcp) == 90_000
    }

    @Test("After an address that does not answer the next one is tried, long before the deadline")
    func silentAddress() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        }
        let silent = try SilentAddress(port: server.port)
        // The deadline never comes.
        let transport = try #require(CurlTransport(time: ManualClock().timeSource))
            .through(addresses: ["127.0.0.2", "127.0.0.1"])
        let request = URLRequest(url: try url("http://id.example.com:\(server.port)/"))
        #expect(try await transport.data(for: request).1.statusCode == 200)
        silent.stop()
        server.stop()
    }

    @Test("A request to addresses that do not answer fails, long before a late deadline")
    func unreachable() async throws {
        let port = try ClosedPort()
        let silent = try SilentAddress(port: port.number)
        let address = try url("http://127.0.0.2:\(port.number)/")
        let engine = CurlEngine(refusesPrivate: false, patience: ConnectionAttempts.limit) { request, _ in
            CurlOption.usesNoSignals.set(1, of: request)
            return nil
        }
        let request = try CurlRequest(URLRequest(url: address), host: "h")
        let transfer = CurlTransfer(request, host: "h", limit: 0, before: [])
        try #require(engine).start(transfer)
        await #expect(throws: TransportError.hostUnreachable(host: "h")) { try await transfer.whole() }
        // A deadline between two rounds of attempts has the same error.
        #expect(transfer.error(after: .zero) == .hostUnreachable(host: "h"))
        // The thread ends with the engine.
        withExtendedLifetime(engine) {}
        silent.stop()
    }

    // MARK: Trust and proxies

    @Test("A proxy that is spoken to over TLS is trusted as a server is")
    func secureProxy() async throws {
        let (connection, other) = try RawConnection.pair()
        let proxy = try TLSServer.start(host: "localhost", application: "http/1.1", through: other)
        // Reading waits, which no task may.
        Thread {
            connection.readHead()
            connection.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        }.start()
        let through = transport.trusting(try TrustedCertificates(proxy.certificate))
            .through(proxy: try url("https://localhost:\(proxy.port)"))
        let request = URLRequest(url: try url("https://id.example.com/token"))
        var error: TransportError
        // The proxy begins to listen some time after its start.
        repeat {
            error = try #require(
                await #expect(throws: TransportError.self) { try await through.data(for: request) })
        } while error.message.contains("no connection was made")
        #expect(error.message.contains("status 403") && error.wasNeverSent, "\(error)")
        proxy.end()
    }

    @Test("A proxy that is down is not taken for the server")
    func deadProxy() async throws {
        let port = try ClosedPort()
        let through = transport.through(proxy: try url("http://127.0.0.1:\(port.number)"))
        let request = URLRequest(url: try url("https://id.example.com/token"))
        let error = await #expect(throws: TransportError.self) { try await through.data(for: request) }
        #expect(error?.failureCode == "request_not_sent" && error?.wasNeverSent == true)
        #expect(error?.message.contains("to the proxy") == true, "\(String(describing: error))")
        withExtendedLifetime(port) {}
    }

    @Test("A host that is down has its own error where a variable names a proxy that is not used for it")
    func exceptedHost() async throws {
        let port = try ClosedPort()
        let engine = CurlEngine(refusesPrivate: false) { request, _ in
            CurlOption.usesNoSignals.set(1, of: request)
            // As `no_proxy` would, which tests cannot set for this process alone.
            CurlOption.proxy.set("", of: request)
            return CurlOption.addresses.set(["ID.example.com:\(port.number):127.0.0.1"], of: request)
        }
        let address = try url("http://ID.example.com:\(port.number)/")
        let request = try CurlRequest(URLRequest(url: address), host: "h")
        let transfer = CurlTransfer(request, host: "h", limit: 0, before: [], mayUseProxy: true)
        try #require(engine).start(transfer)
        await #expect(throws: TransportError.connectionRefused(host: "h")) { try await transfer.whole() }
        withExtendedLifetime((engine, port)) {}
    }

    @Test("A further authority is trusted for its own host, and for no other")
    func authority() async throws {
        for (host, isTrusted) in [("localhost", true), ("other.example", false)] {
            let server = try await TLSServer.start(host: host)
            let trusting = transport.trusting(try TrustedCertificates(server.certificate))
            let request = URLRequest(url: try url("https://localhost:\(server.port)/"))
            if isTrusted {
                #expect(try await trusting.data(for: request).1.statusCode == 200)
            } else {
                let expected = TransportError.untrustedCertificate(host: "localhost:\(server.port)", .otherHost)
                await #expect(throws: expected) { try await trusting.data(for: request) }
            }
            server.stop()
        }
    }

    @Test("A server's own certificate is one line of a client's configuration")
    func ownCertificate() async throws {
        let server = try await TLSServer.start(host: "localhost")
        let environment = IdentityEnvironment(store: MemoryTokenStore(), transport: transport)
        let request = URLRequest(url: try url("https://localhost:\(server.port)/"))
        let trusting = try environment.trusting(TrustedCertificates(server.certificate))
        #expect(try await trusting.transport.data(for: request).1.statusCode == 200)
        // For whoever was told of it alone.
        await #expect(throws: TransportError.self) { try await environment.transport.data(for: request) }
        server.stop()
    }

    @Test("A proxy is asked with its password, which no error repeats")
    func proxyPassword() async throws {
        let asked = Locked("")
        let proxy = try RawServer { connection in
            asked.withLock { $0 = connection.readHead() ?? "" }
            connection.write("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        }
        let through = transport.through(proxy: try url("http://ada:hunter2@127.0.0.1:\(proxy.port)"))
        let request = URLRequest(url: try url("https://id.example.com/token"))
        let error = await #expect(throws: TransportError.self) { try await through.data(for: request) }
        #expect(asked.withLock { $0 }.contains("Basic \(Data("ada:hunter2".utf8).base64EncodedString())"))
        #expect(error?.message.contains("status 407") == true && error?.message.contains("hunter2") == false)
        proxy.stop()
    }

    // MARK: What is sent and read

    @Test("No value of a header field makes a second field", arguments: ["a\r\nX-Other: b", "a\nX-Other: b", "a\0b"])
    func splitting(value: String) async throws {
        let server = try await LocalHTTPServer.start { .text($0.header("X-Other") ?? "none") }
        var request = URLRequest(url: server.url)
        request.setValue(value, forHTTPHeaderField: "X-Test")
        // Foundation drops such a value, and the transport would refuse it.
        do {
            #expect(try await transport.data(for: request).0 == Data("none".utf8))
        } catch let error as TransportError {
            #expect(error.failureCode == "request_not_sent")
        }
        await server.stop()
    }

    @Test("What is no request is refused before anything is sent")
    func noRequest() async throws {
        let server = try await LocalHTTPServer.start { _ in .text("ok") }
        var method = URLRequest(url: server.url)
        method.httpMethod = "GET / HTTP/1.1\r\n"
        for request in [method, URLRequest(url: try url("file:///etc/passwd"))] {
            let error = await #expect(throws: TransportError.self) { try await transport.data(for: request) }
            #expect(error?.failureCode == "request_not_sent" && error?.wasNeverSent == true)
        }
        #expect(server.log.isEmpty)
        await server.stop()
    }

    @Test("A body is read while it arrives, however large it is, and no faster than it is read")
    func stream() async throws {
        let goesOn = DispatchSemaphore(value: 0)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
            goesOn.wait()
            for _ in 0..<64 { connection.write([UInt8](repeating: 0x61, count: 1 << 16)) }
        }
        let response = try await transport.stream(for: URLRequest(url: url("http://127.0.0.1:\(server.port)/")))
        #expect(response.head.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
        let parts = response.body.makeAsyncIterator()
        let first = try await parts.next()
        #expect(first == Data("data: 1\n\n".utf8))
        goesOn.signal()
        var size = 0
        while let part = try await parts.next() { size += part.count }
        #expect(size == 64 << 16)
        server.stop()
    }

    @Test("Of the tasks that read one body each gets parts or its end")
    func readers() async throws {
        let goesOn = DispatchSemaphore(value: 0)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            goesOn.wait()
            connection.write("body")
        }
        let response = try await transport.stream(for: URLRequest(url: url("http://127.0.0.1:\(server.port)/")))
        let read = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<8 {
                let parts = response.body.makeAsyncIterator()
                group.addTask {
                    var read = Data()
                    while let part = try await parts.next() { read.append(part) }
                    return read
                }
            }
            await Task.yield()
            goesOn.signal()
            return try await group.reduce(Data(), +)
        }
        #expect(read == Data("body".utf8))
        server.stop()
    }

    @Test("A stream that nobody reads any more ends its connection")
    func abandoned() async throws {
        let (ended, ends) = AsyncStream.makeStream(of: Void.self)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\r\nfirst")
            connection.awaitEnd()
            ends.yield()
        }
        do {
            let response = try await transport.stream(for: URLRequest(url: url("http://127.0.0.1:\(server.port)/")))
            for try await _ in response.body { break }
        }
        for await _ in ended { break }
        server.stop()
    }
}
#endif
