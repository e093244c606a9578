import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityOAuth
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A resource whose address is all that is configured.
struct ResourceFixture: Sendable {
    let fixture: OAuth2Fixture

    init(_ configure: (inout OAuth2Fixture.Server.Configuration) -> Void = { _ in }) async throws {
        fixture = try await OAuth2Fixture {
            $0.allowsRegistration = true
            configure(&$0)
        }
    }

    var server: OAuth2Fixture.Server { fixture.server }
    var account: AccountID { AccountID(account: server.resource.absoluteString, realm: "notes") }

    /// A client of the configuration.
    func client(
        _ members: [String: JSONValue] = [:], browser: (any WebAuthenticator)? = nil
    ) throws -> IdentityClient {
        let known: [String: JSONValue] = [
            "resource": .string(server.resource.absoluteString), "allowsLoopbackHTTP": true,
        ]
        let environment = IdentityEnvironment(
            store: fixture.store, transport: fixture.transport, webAuthenticator: browser ?? fixture.browser,
            refreshMonitor: fixture.refreshes, time: fixture.clock.timeSource)
        return try IdentityClient(
            configuration: IdentityConfiguration(
                providers: [
                    ProviderConfiguration(
                        name: "notes", type: "protected-resource", settings: .object(known.merging(members) { $1 }))
                ]),
            registry: ProviderRegistry([ProtectedResourcePlugin.self]), environment: environment)
    }

    func request(_ path: String = "", method: String = "GET") -> URLRequest {
        var request = URLRequest(url: path.isEmpty ? server.resource : server.resource.appendingPathComponent(path))
        request.httpMethod = method
        return request
    }

    /// How many sign-in pages were opened.
    var pages: Int { fixture.requests(to: "/authorize").count }
}

@Suite struct ProtectedResourceTests {
    @Test("From a 401 to a signed-in request, with nothing but the resource's address")
    func wholeSession() async throws {
        let notes = try await ResourceFixture()
        let client = try notes.client()
        let (_, response) = try await client.data(for: notes.request(), mayShowSignIn: true)
        #expect(response.statusCode == 200)
        #expect(notes.server.counters.registrations == 1)
        let asked = try #require(notes.fixture.requests(to: "/authorize").first)
        #expect(asked["resource"] == notes.server.resource.absoluteString)
        // The server's scope for sessions that outlive their access token comes beside the resource's.
        #expect(asked["scope"] == "read offline_access")
        #expect(asked["prompt"] == "consent")
        #expect(asked["redirect_uri"] == "http://127.0.0.1/callback")
        #expect(try await client.account() == notes.account)

        // A refresh names the resource as well, and another start of the app uses the session.
        notes.fixture.clock.advance(by: .seconds(3600))
        let restarted = try notes.client()
        #expect(try await restarted.data(for: notes.request()).1.statusCode == 200)
        #expect(notes.server.counters.refreshes == 1)
        #expect(
            notes.fixture.requests(to: "/token").allSatisfy { $0["resource"] == notes.server.resource.absoluteString })
        try await restarted.signOut()
        #expect(notes.fixture.requests(to: "/revoke").count == 2)
        #expect(notes.pages == 1)
        #expect(notes.server.counters.registrations == 1)
        await notes.server.stop()
    }

    @Test("A request that may show nothing shows nothing")
    func silent() async throws {
        let notes = try await ResourceFixture()
        let client = try notes.client()
        await #expect(throws: ClientError.self) { try await client.data(for: notes.request()) }
        #expect(notes.pages == 0)
        await notes.server.stop()
    }

    @Test("Scopes that the resource asks for are granted once, beside those of the session")
    func insufficientScope() async throws {
        let notes = try await ResourceFixture()
        let client = try notes.client()
        try await client.signIn()
        let refused = try await client.data(for: notes.request(method: "POST")).1
        #expect(refused.statusCode == 403)
        let (_, response) = try await client.data(for: notes.request(method: "POST"), mayShowSignIn: true)
        #expect(response.statusCode == 200)
        #expect(notes.fixture.requests(to: "/authorize").last?["scope"] == "read offline_access write")
        #expect(try await client.data(for: notes.request()).1.statusCode == 200)
        #expect(notes.pages == 2)
        await notes.server.stop()
    }

    @Test("A sign-in that is too old is made again (RFC 9470)")
    func insufficientAuthentication() async throws {
        let notes = try await ResourceFixture()
        let client = try notes.client()
        try await client.signIn()
        #expect(try await client.data(for: notes.request("private"), mayShowSignIn: true).1.statusCode == 200)
        notes.fixture.clock.advance(by: .seconds(301))
        #expect(try await client.data(for: notes.request("private")).1.statusCode == 401)
        #expect(try await client.data(for: notes.request("private"), mayShowSignIn: true).1.statusCode == 200)
        #expect(notes.fixture.requests(to: "/authorize").last?["max_age"] == "300")
        #expect(notes.pages == 2)
        await notes.server.stop()
    }

    @Test("A resource that takes bound tokens alone gets them")
    func boundTokens() async throws {
        let notes = try await ResourceFixture { $0.requiresDPoPNonces = true }
        notes.server.misbehave(.resourceRequiresBoundTokens)
        let client = try notes.client()
        try await client.signIn()
        #expect(try await client.data(for: notes.request()).1.statusCode == 200)
        notes.fixture.clock.advance(by: .seconds(3600))
        #expect(try await client.data(for: notes.request()).1.statusCode == 200)
        await notes.server.stop()
    }

    @Test("A server that was restarted without its memory is registered at and signed in to once more")
    func forgotten() async throws {
        let notes = try await ResourceFixture()
        let client = try notes.client()
        try await client.signIn()
        notes.server.forgetRegisteredClients()
        notes.server.revokeAllFamilies()
        // One refusal of the client proves nothing yet.
        await #expect(throws: OAuthError.self) { try await client.data(for: notes.request(), mayShowSignIn: true) }
        notes.fixture.clock.advance(by: .seconds(30))
        let (_, response) = try await client.data(for: notes.request(), mayShowSignIn: true)
        #expect(response.statusCode == 200)
        #expect(notes.server.counters.registrations == 2)
        #expect(notes.pages == 2)
        await notes.server.stop()
    }

    @Test(
        "A token goes to nobody but the resource",
        arguments: ["/api/notes-elsewhere", "/api", "/api/notes/../resource", "/api/notes/%2e%2E/resource", "/"])
    func elsewhere(path: String) async throws {
        let notes = try await ResourceFixture()
        let client = try notes.client()
        try await client.signIn()
        let address = try #require(URL(string: notes.server.url.absoluteString + path))
        let error = await #expect(throws: OAuthError.self) { try await client.data(for: URLRequest(url: address)) }
        #expect(error?.failureCode == "resource_request_outside")
        let host = try #require(URL(string: "https://elsewhere.example/api/notes"))
        await #expect(throws: OAuthError.self) { try await client.authorize(URLRequest(url: host)) }
        await notes.server.stop()
    }

    @Test("A configured client, server and account count")
    func configured() async throws {
        let notes = try await ResourceFixture()
        let client = try notes.client([
            "clientID": .string(notes.server.client.id), "issuer": .string(notes.server.issuer),
            "redirectURI": "com.example.app:/callback", "scopes": ["read", "write"],
            "account": ["url": .string(notes.server.resource.absoluteString), "identifier": "person"],
        ])
        try await client.signIn()
        #expect(try await client.account()?.account == notes.server.user.id)
        #expect(notes.server.counters.registrations == 0)
        await notes.server.stop()

        let others = try await ResourceFixture()
        let error = await #expect(throws: (any Error).self) {
            try await others.client(["issuer": "https://id.example.com"]).signIn()
        }
        let message = error?.identityMessage ?? ""
        #expect(message.contains("https://id.example.com"))
        #expect(others.pages == 0)
        await others.server.stop()
    }

    @Test("A resource that has another server tomorrow is not given the tokens of today's")
    func movedServer() async throws {
        let notes = try await ResourceFixture()
        let client = try notes.client()
        try await client.signIn()
        let other = try await ResourceFixture()
        let moved: JSONValue = [
            "resource": .string(notes.server.resource.absoluteString),
            "authorization_servers": [.string(other.server.issuer)],
        ]
        notes.server.http.fail(.answer(.json(moved)), pathPrefix: "/.well-known/oauth-protected-resource")
        notes.fixture.clock.advance(by: .seconds(3600))
        // Another start, which asks the resource anew.
        let restarted = try notes.client()
        await #expect(throws: (any Error).self) { try await restarted.accessToken() }
        #expect(other.server.http.log.allSatisfy { $0.path != "/token" })
        // The session is kept for its own server.
        notes.fixture.clock.advance(by: .seconds(3600))
        _ = try await notes.client().accessToken()
        await notes.server.stop()
        await other.server.stop()
    }

    // MARK: Bad input

    static let refusals: [OAuth2Fixture.Server.ResourceMisbehaviour: String] = [
        .resourceNotDescribed: "resource_not_described",
        .resourceMetadataIsHTML: "resource_not_described",
        .resourceUnnamed: "resource_not_described",
        .resourceMetadataRedirects: "resource_not_described",
        .resourceNamedTwice: "resource_not_described",
        .resourceMetadataOversized: "answer_too_large",
        .resourceOfAnother: "resource_mismatch",
        .resourceWithoutServers: "resource_missing_member",
        .resourceOfForeignServer: "metadata_issuer_mismatch",
        .resourceMetadataElsewhere: "resource_insecure_metadata",
        .resourceTakesQueryTokens: "resource_no_usable_method",
    ]

    @Test(
        "A resource that describes itself wrongly is refused before a page is shown",
        arguments: refusals.keys.sorted { "\($0)" < "\($1)" })
    func refused(misbehaviour: OAuth2Fixture.Server.ResourceMisbehaviour) async throws {
        let notes = try await ResourceFixture()
        notes.server.misbehave(misbehaviour)
        let provider = try notes.provider()
        let error = await #expect(throws: (any Error).self) {
            try await provider.signIn(scopes: [], deviceToken: "d")
        }
        #expect((error as? any IdentityFailure)?.failureCode == Self.refusals[misbehaviour])
        #expect(notes.pages == 0)
        #expect(notes.server.counters.registrations == 0)
        #expect(try await notes.fixture.store.records(in: .accounts).records.isEmpty)
        await notes.server.stop()
    }

    @Test("A resource that is never content is shown no second sign-in")
    func loops() async throws {
        for misbehaviour in [
            OAuth2Fixture.Server.ResourceMisbehaviour.resourceRefusesAllTokens, .resourceNeverSatisfied,
        ] {
            let notes = try await ResourceFixture()
            notes.server.misbehave(misbehaviour)
            let client = try notes.client()
            let first = try await client.data(for: notes.request(), mayShowSignIn: true).1
            #expect([401, 403].contains(first.statusCode))
            #expect(notes.pages == 1)
            let second = try await client.data(for: notes.request(), mayShowSignIn: true).1
            #expect([401, 403].contains(second.statusCode))
            // The scopes that are asked for are there already; only a token that is refused is worth another page.
            #expect(notes.pages == (misbehaviour == .resourceNeverSatisfied ? 1 : 2))
            await notes.server.stop()
        }
    }

    @Test("A server that issues no tokens for the resource says so, and nothing is stored (RFC 8707 section 2)")
    func invalidTarget() async throws {
        let notes = try await ResourceFixture()
        notes.server.misbehave(.resourceIsInvalidTarget)
        let provider = try notes.provider()
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureCode == "invalid_target")
        #expect(try await notes.fixture.store.records(in: .accounts).records.isEmpty)
        await notes.server.stop()
    }

    @Test("Every rule that the resource can break has its test")
    func complete() {
        let others: Set<OAuth2Fixture.Server.ResourceMisbehaviour> = [
            .resourceRefusesAllTokens, .resourceNeverSatisfied, .resourceRequiresBoundTokens, .resourceIsInvalidTarget,
        ]
        #expect(Set(OAuth2Fixture.Server.ResourceMisbehaviour.allCases) == others.union(Self.refusals.keys))
    }

    @Test("A server that does not announce code challenges is not trusted with a sign-in")
    func noCodeChallenge() async throws {
        let notes = try await ResourceFixture()
        let address = notes.server.url.appendingPathComponent(".well-known/oauth-authorization-server")
        let (document, _) = try await DefaultTransport.make().data(for: URLRequest(url: address))
        var members = try #require(try JSONValue(parsing: document).objectValue)
        members["code_challenge_methods_supported"] = nil
        notes.server.http.fail(.answer(.json(.object(members))), pathPrefix: "/.well-known/oauth-authorization-server")
        for _ in 0..<2 {
            let provider = try notes.provider()
            let error = await #expect(throws: OAuthError.self) {
                try await provider.signIn(scopes: [], deviceToken: "d")
            }
            #expect(error?.failureCode == "metadata_missing_code_challenge_method")
            notes.server.vary(.noCodeChallenge)
        }
        #expect(notes.pages == 0)
        await notes.server.stop()
    }

    @Test("What is wrong is named with its key path")
    func mistakes() throws {
        for (members, keyPath) in [
            ([:], "resource"), (["resource": "http://api.example.com"], "resource"),
            (["resource": "https://api.example.com/#a"], "resource"),
            (["resource": "https://api.example.com", "clientSecret": "s"], "clientSecret"),
            (["resource": "https://api.example.com", "issuer": "http://id.example.com"], "issuer"),
            (["resource": "https://api.example.com", "account": ["url": "https://a.example"]], "account.identifier"),
            (
                [
                    "resource": "https://api.example.com/notes",
                    "account": ["url": "https://api.example.com/me", "identifier": "id"],
                ], "account"
            ),
        ] as [([String: JSONValue], String)] {
            let error = #expect(throws: ConfigurationError.self) {
                try ProviderRegistry([ProtectedResourcePlugin.self]).makeChain(
                    for: IdentityConfiguration(
                        providers: [
                            ProviderConfiguration(
                                name: "notes", type: "protected-resource", settings: .object(members))
                        ]),
                    environment: IdentityEnvironment(store: MemoryTokenStore()))
            }
            #expect(error?.message.hasPrefix("providers[0].settings." + keyPath) == true, "\(error?.message ?? "")")
        }
    }
}

extension ResourceFixture {
    /// The provider alone.
    func provider() throws -> OAuthSessionProvider {
        OAuthSessionProvider(
            ProtectedResourceSettings(resource: server.resource, client: .unregistered(.loopbackHTTPAllowed)).server,
            context: ProviderContext(
                name: "notes",
                environment: IdentityEnvironment(
                    store: fixture.store, transport: fixture.transport, webAuthenticator: fixture.browser,
                    time: fixture.clock.timeSource)))
    }
}
