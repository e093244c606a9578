#if os(Linux)
import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// A process whose environment names a proxy, and the system's libcurl, which reads it: what is meant for this machine
/// never reaches the proxy. On Apple's systems nothing reads these variables.
@Suite(.serialized, .endsInTime) struct ProxyTests {
    private static let secret = "the secret of this machine"

    /// A server on this machine and a proxy that notes all it gets to see.
    private struct Fixture: Sendable {
        let server: LocalHTTPServer
        let proxy: LocalHTTPServer
        let overheard = Locked<[String]>([])

        init() async throws {
            server = try await LocalHTTPServer.start { _ in .text("direct") }
            proxy = try await LocalHTTPServer.start { [overheard] request in
                let fields = request.headers.map { "\($0.name): \($0.value)" }
                let text = ([request.method + " " + request.target] + fields).joined(separator: "\n")
                overheard.withLock { $0.append(text) }
                return .text("by proxy")
            }
        }

        /// The variables with the proxy's address for `PROXY`, and no others of their kind.
        func variables(_ values: [String: String]) -> [String: String] {
            let names = ["http", "https", "all", "no"].flatMap { ["\($0)_proxy", "\($0)_PROXY".uppercased()] }
            let none = Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
            return none.merging(values.mapValues { $0.replacing("PROXY", with: proxy.url.absoluteString) }) { $1 }
        }

        func fetch(_ address: String, _ values: [String: String]) async throws -> [String] {
            try await ProbeProcess(
                ["do=fetch", "server=\(address)", "password=\(ProxyTests.secret)"], variables: variables(values)
            ).end().lines
        }
    }

    private static func withFixture(_ test: (Fixture) async throws -> Void) async throws {
        let fixture = try await Fixture()
        try await test(fixture)
        await fixture.server.stop()
        await fixture.proxy.stop()
    }

    private static let refusal = "failed loopback_through_proxy"

    @Test(
        "A secret for this machine does not reach a proxy",
        arguments: [
            ["http_proxy": "PROXY"], ["all_proxy": "PROXY"], ["ALL_PROXY": "PROXY"],
            ["http_proxy": "PROXY", "no_proxy": "localhost"], ["http_proxy": "PROXY", "no_proxy": "127.0.0.1:1"],
            ["http_proxy": "PROXY", "no_proxy": "*,x"], ["all_proxy": "PROXY", "no_proxy": "x", "NO_PROXY": "*"],
            ["ALL_PROXY": "PROXY", "NO_PROXY": "0.0.1;127.1"],
        ])
    func refused(values: [String: String]) async throws {
        try await Self.withFixture { fixture in
            let lines = try await fixture.fetch(fixture.server.url.absoluteString, values)
            #expect(lines == [Self.refusal])
            #expect(fixture.overheard.withLock { $0 } == [])
        }
    }

    @Test(
        "A secret for this machine does not reach a proxy over TLS either",
        arguments: [["https_proxy": "PROXY"], ["HTTPS_PROXY": "PROXY"], ["ALL_PROXY": "PROXY"]])
    func refusedUnderTLS(values: [String: String]) async throws {
        try await Self.withFixture { fixture in
            let address = fixture.server.url.absoluteString.replacing("http:", with: "https:")
            let lines = try await fixture.fetch(address, values)
            #expect(lines == [Self.refusal])
            #expect(fixture.overheard.withLock { $0 } == [])
        }
    }

    @Test(
        "Where no_proxy says so, the request goes straight to this machine",
        arguments: [
            ["http_proxy": "PROXY", "no_proxy": "localhost,127.0.0.1,::1"], ["http_proxy": "PROXY", "no_proxy": "*"],
            ["all_proxy": "PROXY", "NO_PROXY": "example.com, 127.0.0.1 ,x"],
            ["ALL_PROXY": "PROXY", "no_proxy": "127.0.0.1"], ["HTTP_PROXY": "PROXY"], ["https_proxy": "PROXY"],
            ["http_proxy": "", "all_proxy": ""],
        ])
    func accepted(values: [String: String]) async throws {
        try await Self.withFixture { fixture in
            let lines = try await fixture.fetch(fixture.server.url.absoluteString, values)
            #expect(lines == ["answered 200"])
            #expect(fixture.server.log.count == 1)
            #expect(fixture.overheard.withLock { $0 } == [])
        }
    }

    @Test("The same for names", arguments: ["localhost", ".localhost", "127.0.0.1, LOCALHOST"])
    func names(list: String) async throws {
        try await Self.withFixture { fixture in
            let address = fixture.server.url.absoluteString.replacing("127.0.0.1", with: "localhost")
            let lines = try await fixture.fetch(address, ["http_proxy": "PROXY", "no_proxy": list])
            #expect(lines == ["answered 200"])
            #expect(fixture.overheard.withLock { $0 } == [])
        }
    }

    @Test(
        "A network is an exception where the system's libcurl knows of networks, and nothing leaves where it does not")
    func network() async throws {
        try await Self.withFixture { fixture in
            let values = ["http_proxy": "PROXY", "no_proxy": "127.0.0.0/8"]
            let lines = try await fixture.fetch(fixture.server.url.absoluteString, values)
            #expect(lines == ["answered 200"] || lines == [Self.refusal])
            #expect(fixture.overheard.withLock { $0 } == [])
        }
    }

    #if canImport(FoundationNetworking)
    @Test("What is meant for another machine goes through the proxy as before")
    func others() async throws {
        try await Self.withFixture { fixture in
            let lines = try await fixture.fetch("http://id.example.com/token", ["http_proxy": "PROXY"])
            #expect(lines == ["answered 200"])
            let overheard = fixture.overheard.withLock { $0 }
            #expect(overheard.count == 1 && overheard.allSatisfy { $0.contains(Self.secret) }, "\(overheard)")
        }
    }

    @Test(
        "A sign-in sends no password to a proxy and says what to do",
        arguments: ["http_proxy", "all_proxy", "ALL_PROXY"])
    func signIn(variable: String) async throws {
        try await Self.withFixture { fixture in
            let processes = try await ProcessFixture()
            let outcome = try await processes.start(
                "sign-in", variables: fixture.variables([variable: "PROXY"])
            ).end()
            #expect(outcome.failures.count == 1 && outcome.lines.count == 1, "\(outcome.lines)")
            #expect(fixture.overheard.withLock { $0 } == [])
            #expect(processes.server.http.log.isEmpty)
        }
    }
    #endif
}
#endif
