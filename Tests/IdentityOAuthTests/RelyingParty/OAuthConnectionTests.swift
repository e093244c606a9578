import Foundation
import IdentityKit
import IdentityOAuth
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("A connection to a server that is found at first use")
struct OAuthConnectionTests {
    /// Counts discoveries, and fails as often as a test wants.
    private actor Finder {
        private(set) var count = 0
        private var failures: Int

        init(failures: Int = 0) { self.failures = failures }

        func find() throws -> RelyingParty {
            count += 1
            if failures > 0 {
                failures -= 1
                throw TransportError.connectionLost(host: "id.example")
            }
            return RelyingParty(
                metadata: try AuthorizationServerMetadata(members: ["issuer": "https://id.example"]),
                client: OAuthClient(id: "app"), transport: TableTransport(bodies: [:]))
        }
    }

    @Test("nothing is looked for before it is needed, and then once however many ask")
    func once() async throws {
        let finder = Finder()
        let server = OAuthConnection { try await finder.find() }
        #expect(await finder.count == 0)
        let issuers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await server.relyingParty.metadata.issuer } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(issuers == ["https://id.example"])
        _ = try await server.relyingParty
        #expect(await finder.count == 1)
    }

    @Test("a failure is thrown and not kept")
    func failure() async throws {
        let finder = Finder(failures: 1)
        let server = OAuthConnection { try await finder.find() }
        await #expect(throws: TransportError.connectionLost(host: "id.example")) { try await server.relyingParty }
        _ = try await server.relyingParty
        #expect(await finder.count == 2)
    }
}
