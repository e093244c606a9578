import Foundation
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Addresses that a server may not have a program ask (`refusesPrivateAddresses`).
@Suite(.endsInTime) struct PrivateAddressTests {
    @Test(
        "Private, loopback, link-local, unique-local and shared addresses are known in every spelling",
        arguments: [
            "127.0.0.1", "127.1", "0x7f.1", "2130706433", "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.0.1", "198.18.0.1", "224.0.0.1",
            "255.255.255.255", "::", "::1", "[::1]", "fe80::1", "febf::1", "fc00::1", "fd12:3456::1", "fec0::1",
            "ff02::1",
            "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::192.168.0.1", "64:ff9b::10.0.0.1",
            "64:ff9b:1::1", "2002:0a00:0001::1", "localhost",
        ])
    func privateOnes(host: String) async { #expect(await PrivateAddress.isFound(for: host)) }

    @Test(
        "Public addresses are none of them, nor is a name without an address",
        arguments: [
            "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "169.253.255.255", "172.15.255.255",
            "172.32.0.0", "192.0.1.0", "192.167.255.255", "198.20.0.0", "223.255.255.255", "2001:4860:4860::8888",
            "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:0808:0808::1", "nowhere.invalid",
        ])
    func publicOnes(host: String) async { #expect(await !PrivateAddress.isFound(for: host)) }

    /// The transports that look at a connection, and those that look before.
    static let transports: [any HTTPTransport] = [DefaultTransport.make(), URLSessionTransport(), Wrapped()]

    /// An app's own transport.
    private struct Wrapped: HTTPTransport {
        let base = DefaultTransport.make()
        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) { try await base.data(for: request) }
    }

    @Test(
        "A name that leads to this machine gets no request, and the server that is configured does",
        arguments: transports.indices)
    func names(index: Int) async throws {
        let server = try await LocalHTTPServer.start { _ in .text("ok") }
        let named = try #require(URL(string: "http://localhost:\(server.url.port ?? 0)/"))
        let transport = PublicAddressTransport(Self.transports[index], besides: [server.url])
        let failure = TransportError.privateAddress(host: named.authority)
        await #expect(throws: failure) { try await transport.data(for: URLRequest(url: named)) }
        await #expect(throws: failure) { try await transport.data(for: URLRequest(url: named), upTo: 1) }
        await #expect(throws: failure) { try await transport.stream(for: URLRequest(url: named)) }
        await #expect(throws: failure) {
            let deadline = Deadline(Patience.limit, on: .system)
            return try await DeadlineTransport(transport, before: deadline).data(for: URLRequest(url: named))
        }
        #expect(server.connectionCount == 0)
        #expect(failure.wasNeverSent)
        #expect(failure.failureClass == .definitive)

        #expect(try await transport.data(for: URLRequest(url: server.url)).1.statusCode == 200)
        let another = PublicAddressTransport(transport, besides: [named])
        #expect(try await another.data(for: URLRequest(url: named)).1.statusCode == 200)
        #expect(try await another.data(for: URLRequest(url: server.url)).1.statusCode == 200)
        await server.stop()
    }

    @Test("Another port of a configured server is another address")
    func ports() async throws {
        let (known, other) = (
            try await LocalHTTPServer.start { _ in .text("ok") }, try await LocalHTTPServer.start { _ in .text("ok") }
        )
        let transport = PublicAddressTransport(DefaultTransport.make(), besides: [known.url])
        await #expect(throws: TransportError.privateAddress(host: other.url.authority)) {
            try await transport.data(for: URLRequest(url: other.url))
        }
        #expect(other.connectionCount == 0)
        await known.stop()
        await other.stop()
    }

    @Test("Nothing is refused where nobody asked for it")
    func off() async throws {
        let server = try await LocalHTTPServer.start { _ in .text("ok") }
        let environment = IdentityEnvironment(store: MemoryTokenStore()).guarded(besides: [])
        #expect(try await environment.transport.data(for: URLRequest(url: server.url)).1.statusCode == 200)
        await server.stop()
    }

    #if os(Linux)
    @Test("What a name leads to when the connection is made counts, whatever it led to before")
    func rebinding() async throws {
        let server = try await LocalHTTPServer.start { _ in .text("ok") }
        let port = server.url.port ?? 0
        let curl = try #require(CurlTransport()).through(addresses: ["127.0.0.1", "[::1]"])
        let url = try #require(URL(string: "http://nowhere.invalid:\(port)/"))
        _ = try await curl.data(for: URLRequest(url: url))
        let guarded = PublicAddressTransport(curl, besides: [])
        for _ in 0..<2 {
            await #expect(throws: TransportError.privateAddress(host: "nowhere.invalid:\(port)")) {
                try await guarded.data(for: URLRequest(url: url))
            }
        }
        #expect(server.connectionCount == 1)
        await server.stop()
    }

    @Test("A proxy makes the connection: its own address does not count, and the name is looked up before")
    func proxied() async throws {
        let proxy = try await LocalHTTPServer.start { _ in .text("ok") }
        let transport = PublicAddressTransport(try #require(CurlTransport()).through(proxy: proxy.url), besides: [])
        let hidden = try #require(URL(string: "http://nowhere.invalid/"))
        _ = try await transport.data(for: URLRequest(url: hidden))
        let metadata = try #require(URL(string: "http://169.254.169.254/latest"))
        await #expect(throws: TransportError.privateAddress(host: "169.254.169.254")) {
            try await transport.data(for: URLRequest(url: metadata))
        }
        #expect(proxy.connectionCount == 1)
        await proxy.stop()
    }
    #endif
}
