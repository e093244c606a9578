import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

struct HeldPortTests {
    @Test("The port of a stopped server refuses connections, goes to nobody else, and is free after the server's life")
    func stopped() async throws {
        var server: LocalHTTPServer? = try await LocalHTTPServer.start { _ in .text("here") }
        let url = try #require(server?.url)
        let port = try #require(url.port)
        await server?.stop()
        let error = await #expect(throws: TransportError.self) {
            _ = try await DefaultTransport.make().data(for: URLRequest(url: url))
        }
        #expect(error?.wasNeverSent == true)
        #expect(!FreePort.canBeBound(port))
        server = nil
        #expect(FreePort.canBeBound(port))
    }

    @Test("A server can start again at the port of one that has stopped")
    func startedAgain() async throws {
        let first = try await LocalHTTPServer.start { _ in .text("first") }
        let port = try #require(first.url.port)
        await first.stop()
        let second = try await LocalHTTPServer.start(port: port) { _ in .text("second") }
        let (data, _) = try await DefaultTransport.make().data(for: URLRequest(url: first.url))
        #expect(String(decoding: data, as: UTF8.self) == "second")
        await second.stop()
        await first.stop()
    }
}
