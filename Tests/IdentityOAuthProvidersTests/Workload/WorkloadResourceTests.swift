import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityOAuth

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

    private static let settings: [String: JSONValue] = [
        "clientID": "service", "clientSecret": "a secret", "allowsLoopbackHTTP": true,
    ]

    @Test("A person of another provider is vouched for, once, and what says so is stored nowhere")
    func identityAssertion() async throws {
        let (fixture, work) = (try await fixture(), try await OAuth2Fixture())
        let resource = fixture.base + "/mcp"
        let client = try IdentityClient(
            configuration: IdentityConfiguration(
                providers: [
                    ProviderConfiguration(
                        name: "work", type: "openid-connect",
                        settings: [
                            "issuer": .string(work.server.issuer), "clientID": .string(work.server.client.id),
                            "redirectURI": "com.example.app:/callback", "allowsLoopbackHTTP": true,
                        ]),
                    ProviderConfiguration(
                        name: "machine", type: "workload",
                        settings: .object(
                            Self.settings.merging([
                                "resource": .string(resource), "grant": "identity-assertion", "identity": "work",
                            ]) { $1 })),
                ]),
            registry: ProviderRegistry([OpenIDConnectPlugin.self, WorkloadPlugin.self]),
            environment: IdentityEnvironment(
                store: fixture.store, transport: fixture.notes.fixture.transport, webAuthenticator: work.browser,
                time: fixture.notes.fixture.clock.timeSource))
        try await client.signIn(with: "work")
        func answer(_ members: JSONValue, at server: OAuth2Fixture.Server) {
            server.http.fail(.answer(.json(members)), pathPrefix: "/token")
        }
        let type = "urn:ietf:params:oauth:token-type:id-jag"
        answer(["access_token": "vouched", "issued_token_type": .string(type), "token_type": "N_A"], at: work.server)
        answer(["access_token": "t", "token_type": "Bearer", "expires_in": 60], at: fixture.notes.server)
        let account = AccountID(account: "service", realm: "machine")
        #expect(try await client.accessToken(as: account) == "t")

        let asked = fixture.notes.fixture.requests(to: "/token").suffix(2)
        let (exchange, grant) = (try #require(asked.first), try #require(asked.last))
        #expect(exchange["requested_token_type"] == type && exchange["resource"] == resource)
        #expect(exchange["audience"] == fixture.notes.server.issuer)
        #expect(exchange["subject_token_type"] == "urn:ietf:params:oauth:token-type:id_token")
        #expect(grant["grant_type"]?.hasSuffix("jwt-bearer") == true && grant["assertion"] == "vouched")
        for record in try await fixture.store.records(in: .accounts).records {
            #expect(!String(decoding: record.content ?? Data(), as: UTF8.self).contains("vouched"))
        }
        await work.server.stop()
        await fixture.stop()
    }

    @Test("Only what the server issues for this purpose is sent on", arguments: [nil, "access_token", "jwt"])
    func wrongAssertion(type: String?) async throws {
        let work = try await OAuth2Fixture()
        let metadata = try await Discovery.discover(
            issuer: work.server.issuer, using: DefaultTransport.make(), transportSecurity: .loopbackHTTPAllowed)
        let party = RelyingParty(
            metadata: metadata, client: OAuthClient(id: "app", transportSecurity: .loopbackHTTPAllowed),
            transport: DefaultTransport.make())
        var members: [String: JSONValue] = ["access_token": "a", "token_type": "Bearer"]
        members["issued_token_type"] = type.map { .string("urn:ietf:params:oauth:token-type:" + $0) }
        work.server.http.fail(.answer(.json(.object(members))), pathPrefix: "/token")
        await #expect(throws: OAuthError.self) {
            try await party.identityAssertion(from: "i", to: "https://id.example.com", for: nil, scopes: [])
        }
        await work.server.stop()
    }

    @Test("What is wrong with the settings is named")
    func mistakes() throws {
        let resource: [String: JSONValue] = ["resource": "https://api.example.com"]
        for (members, keyPath) in [
            (["resource": "http://api.example.com"], "resource"),
            (resource.merging(["endpoints": ["token_endpoint": "https://id.example.com/token"]]) { $1 }, "endpoints"),
            (resource.merging(["grant": "identity-assertion"]) { $1 }, "identity"),
            (
                resource.merging(["grant": "identity-assertion", "identity": "work", "token": ["variable": "T"]]) {
                    $1
                },
                "clientSecret"
            ),
        ] as [([String: JSONValue], String)] {
            let settings = ["clientID": "service", "clientSecret": "s"].merging(members) { $1 } as [String: JSONValue]
            let error = #expect(throws: ConfigurationError.self) { try WorkloadFixture.chain(.object(settings)) }
            if keyPath != "clientSecret" {
                #expect(error?.message.hasPrefix("providers[0].settings." + keyPath) == true, "\(error?.message ?? "")")
            }
        }
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
        let stranger = await #expect(throws: OAuthError.self) {
            try await provider(fixture).accessToken(for: account, scopes: [])
        }
        #expect(stranger?.failureCode != "resource_server_changed")
        await other.server.stop()
        await fixture.stop()
    }
}
