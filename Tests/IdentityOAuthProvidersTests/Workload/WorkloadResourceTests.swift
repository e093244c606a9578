import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Programs that learn their server from a resource.
@Suite struct WorkloadResourceTests {
    private func fixture() async throws -> MCPFixture {
        try await MCPFixture(issuing: { $0.clients.append(WorkloadFixture.service) })
    }

    private func provider(_ fixture: MCPFixture) throws -> WorkloadProvider {
        let client = OAuthClient(
            id: "service", authentication: .clientSecretBasic("a secret"), transportSecurity: .loopbackHTTPAllowed)
        let resource = try #require(URL(string: fixture.base + "/mcp"))
        return WorkloadProvider(
            .server(OAuthServer(type: "workload", resource: resource, client: client), .clientCredentials()),
            context: ProviderContext(
                name: "machine",
                environment: IdentityEnvironment(
                    store: fixture.store, transport: fixture.notes.fixture.transport,
                    time: fixture.notes.fixture.clock.timeSource)))
    }

    @Test("A program gets a token for the resource alone, with the scopes that it asks for")
    func clientCredentials() async throws {
        let fixture = try await fixture()
        let provider = try provider(fixture)
        let account = AccountID(account: "service", realm: "machine")
        let request = try await provider.authorize(fixture.request(), for: account, scopes: [])
        #expect(request.value(forHTTPHeaderField: "Authorization")?.hasPrefix("Bearer ") == true)
        let asked = try #require(fixture.notes.fixture.requests(to: "/token").first)
        #expect(asked["resource"] == fixture.base + "/mcp" && asked["scope"] == "read")
        await #expect(throws: OAuthError.self) {
            try await provider.authorize(fixture.request("/other"), for: account, scopes: [])
        }
        await fixture.stop()
    }

    @Test("A program's secret goes to no other server than that of the first time")
    func otherServer() async throws {
        let (fixture, other) = (try await fixture(), try await ResourceFixture())
        let account = AccountID(account: "service", realm: "machine")
        _ = try await provider(fixture).accessToken(for: account, scopes: [])
        fixture.behave { [issuer = other.server.issuer] request, base, _ in
            request.path == MCPFixture.ownDocument ? MCPFixture.document(base + "/mcp", issuer) : nil
        }
        let restarted = try provider(fixture)
        let error = await #expect(throws: OAuthError.self) {
            try await restarted.accessToken(for: account, scopes: [])
        }
        #expect(error?.failureCode == "resource_server_changed")
        #expect(other.server.http.log.allSatisfy { $0.path != "/token" })
        // A sign-out forgets the former server.
        try await restarted.signOut(account)
        await other.server.stop()
        await fixture.stop()
    }
}
