import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A service that calls another one for whoever called it, at a real server.
@Suite struct OnBehalfOfTests {
    @Test("The token that was sent is exchanged by the provider of the configuration, once")
    func exchange() async throws {
        let fixture = try await WorkloadFixture()
        let caller = try fixture.provider(WorkloadFixture.credentials)
        let sent = try await caller.accessToken(
            for: try #require(try await caller.activeAccount(scopes: [], deviceToken: "d")), scopes: [])
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), time: fixture.clock.timeSource, variables: [:])
        let settings: JSONValue = [
            "issuer": .string(fixture.server.issuer), "allowsLoopbackHTTP": true, "clientID": "service",
            "clientSecret": "a secret",
        ]
        let client = IdentityClient(
            provider: try WorkloadFixture.chain(settings, in: environment), environment: environment)
        var tokens: Set<String> = []
        for _ in 1...2 {
            let api = "https://api.example.com"
            tokens.insert(
                try await client.accessToken(onBehalfOf: sent, from: "machine", scopes: ["read"], resource: api))
        }
        #expect(tokens.count == 1 && fixture.tokenRequests == 2)
        let token = try #require(tokens.first)
        #expect(token != sent)
        #expect(try await subject(of: token, at: fixture) == "service")
        // A refusal is told, and asked for again.
        for count in 3...4 {
            await #expect(throws: OAuthError.self) {
                try await client.accessToken(onBehalfOf: "unknown", from: "machine", scopes: ["read"])
            }
            #expect(fixture.tokenRequests == count)
        }
        await fixture.stop()
    }

    private func subject(of token: String, at fixture: WorkloadFixture) async throws -> String? {
        var request = URLRequest(url: fixture.server.url.appendingPathComponent("api/resource"))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (data, response) = try await DefaultTransport.make().data(for: request)
        #expect(response.statusCode == 200)
        return try JSONValue(parsing: data)["subject"]?.stringValue
    }
}
