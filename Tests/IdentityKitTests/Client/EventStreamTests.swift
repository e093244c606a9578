#if os(Linux)
import Foundation
import FoundationNetworking
import IdentityKit
import TestSupport
import Testing
import TransportChecks

/// Streams of events from servers that go on.
@Suite(.endsInTime) struct EventStreamTests {
    /// The two transports, as a setting names them.
    enum Client: String, CaseIterable {
        case curl, urlsession

        var transport: any HTTPTransport { self == .curl ? DefaultTransport.make() : URLSessionTransport() }
    }

    private func client(_ client: Client = .curl) -> IdentityClient {
        IdentityClient(
            provider: ScriptedProvider("work", silent: .account("ada")),
            environment: IdentityEnvironment(store: MemoryTokenStore(), transport: client.transport))
    }

    @Test("Events arrive while the stream goes on, with another token after a refusal", arguments: Client.allCases)
    func events(by kind: Client) async throws {
        let goesOn = DispatchSemaphore(value: 0)
        let server = try RawServer { connection in
            while let head = connection.readHead() {
                guard head.contains("Bearer newer token") else {
                    connection.write("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
                    continue
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
                goesOn.wait()
                connection.write("data: 2\n\n")
                return
            }
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/events"))
        let (parts, response) = try await client(kind).bytes(for: URLRequest(url: url))
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
        let iterator = parts.makeAsyncIterator()
        let first = try await iterator.next()
        #expect(first == Data("data: 1\n\n".utf8))
        goesOn.signal()
        let second = try await iterator.next()
        #expect(second == Data("data: 2\n\n".utf8))
        let end = try await iterator.next()
        #expect(end == nil && server.requestCount == 2)
        server.stop()
    }

    @Test("A body that nobody reads any more ends its request, and one of any size is read", arguments: Client.allCases)
    func sizes(by kind: Client) async throws {
        let (ended, ends) = AsyncStream.makeStream(of: Void.self)
        let server = try RawServer { connection in
            guard let head = connection.readHead() else { return }
            connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            if head.contains("GET /large") {
                for _ in 0..<64 { connection.write([UInt8](repeating: 0x61, count: 1 << 16)) }
            } else {
                connection.write("first")
                connection.awaitEnd()
                ends.yield()
            }
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        let client = client(kind)
        var size = 0
        let large = URLRequest(url: url.appendingPathComponent("large"))
        for try await part in try await client.bytes(for: large).0 { size += part.count }
        #expect(size == 64 << 16)
        for try await _ in try await client.bytes(for: URLRequest(url: url)).0 { break }
        for await _ in ended { break }
        server.stop()
    }

    @Test("A refusal whose body never ends is not waited for")
    func endlessRefusal() async throws {
        let server = try RawServer { connection in
            guard let head = connection.readHead() else { return }
            if head.contains("Bearer newer token") {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            } else {
                connection.write("HTTP/1.1 401 Unauthorized\r\n\r\nno")
            }
            connection.awaitEnd()
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/events"))
        let (parts, response) = try await client().bytes(for: URLRequest(url: url))
        var body = Data()
        for try await part in parts { body += part }
        #expect(response.statusCode == 200 && body == Data("ok".utf8))
        server.stop()
    }
}
#endif
