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

/// Programs that sign in without a person.
@Suite struct WorkloadTests {
    // MARK: Grants

    @Test("A client gets a token by its secret, keeps it, and gets another one before it expires")
    func clientCredentials() async throws {
        let fixture = try await WorkloadFixture()
        let provider = try fixture.provider(WorkloadFixture.credentials)
        #expect(!provider.mayShowSignIn)
        #expect(try await fixture.subject(of: provider) == "service")
        #expect(try await fixture.subject(of: provider) == "service")
        #expect(fixture.tokenRequests == 1)
        let account = try #require(try await provider.activeAccount(scopes: [], deviceToken: "d"))
        #expect(account == AccountID(account: "service", realm: "machine"))
        let first = try await provider.accessToken(for: account, scopes: [])
        fixture.clock.advance(by: .seconds(3500))
        #expect(try await provider.accessToken(for: account, scopes: []) != first)
        #expect(fixture.tokenRequests == 2)
        await fixture.stop()
    }

    @Test("A client's key signs for it")
    func clientKey() async throws {
        let fixture = try await WorkloadFixture()
        let key = try JSONValue(parsing: Data(fixture.key.jwk.reveal().utf8))
        let provider = try fixture.provider(["clientID": "signer", "clientKey": key])
        #expect(try await fixture.subject(of: provider) == "signer")
        await fixture.stop()
    }

    @Test("A client signs a token about somebody else, and says nothing else about itself")
    func signedJWT() async throws {
        let fixture = try await WorkloadFixture()
        let key = try JSONValue(parsing: Data(fixture.key.jwk.reveal().utf8))
        let settings: [String: JSONValue] = ["clientID": "signer", "clientKey": key, "grant": "jwt-bearer"]
        #expect(try await fixture.subject(of: fixture.provider(settings)) == "signer")
        let other = try fixture.provider(
            settings.merging(["subject": "ada@example.com", "claims": ["tenant": "acme", "iss": "forged"]]) { $1 })
        #expect(try await fixture.subject(of: other) == "ada@example.com")
        await fixture.stop()
    }

    @Test(
        "A platform's token takes the place of a secret, is an assertion, or is exchanged",
        arguments: [
            ["clientID": "job", "grant": "client_credentials"], ["clientID": "app", "grant": "jwt-bearer"],
            ["clientID": "app", "grant": "token-exchange"],
            [
                "clientID": "app", "grant": "token-exchange",
                "tokenType": "urn:ietf:params:oauth:token-type:id_token",
                "requestedTokenType": "urn:ietf:params:oauth:token-type:access_token",
            ],
            ["clientID": "service", "clientSecret": "a secret", "grant": "token-exchange"],
        ] as [[String: JSONValue]])
    func platformToken(settings: [String: JSONValue]) async throws {
        let fixture = try await WorkloadFixture()
        let provider = try fixture.provider(
            settings.merging(["token": ["gitHubActions": [:]]]) { $1 }, variables: fixture.platform.variables)
        let subject = settings["grant"] == "client_credentials" ? "job" : fixture.platform.subject
        #expect(try await fixture.subject(of: provider) == subject)
        #expect(fixture.platform.http.log.count == 1)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.subject(of: provider) == subject)
        #expect(fixture.platform.http.log.count == 2)
        await fixture.stop()
    }

    @Test("A token for another audience is refused, and the one that is configured is asked for")
    func audience() async throws {
        let fixture = try await WorkloadFixture { $0.trustedIssuers[0].audience = "api://exchange" }
        let settings: [String: JSONValue] = ["clientID": "app", "grant": "token-exchange"]
        let wrong = try fixture.provider(
            settings.merging(["token": ["gitHubActions": [:]]]) { $1 }, variables: fixture.platform.variables)
        let account = try #require(try await wrong.activeAccount(scopes: [], deviceToken: "d"))
        await #expect(throws: OAuthError.self) { try await wrong.accessToken(for: account, scopes: []) }
        let right = try fixture.provider(
            settings.merging(["token": ["gitHubActions": ["audience": "api://exchange"]]]) { $1 },
            variables: fixture.platform.variables)
        #expect(try await fixture.subject(of: right) == fixture.platform.subject)
        await fixture.stop()
    }

    @Test("What the server wants to be told of the service is in every token request")
    func parameters() async throws {
        let fixture = try await WorkloadFixture()
        let provider = try fixture.provider(
            WorkloadFixture.credentials.merging([
                "resources": [.string(fixture.server.resource.absoluteString)], "audience": "https://api.example.com",
            ]) { $1 })
        let account = try #require(try await provider.activeAccount(scopes: [], deviceToken: "d"))
        let request = try await provider.authorize(
            URLRequest(url: fixture.server.resource), for: account, scopes: ["read"])
        #expect(try await DefaultTransport.make().data(for: request).1.statusCode == 200)
        await fixture.stop()
    }

    @Test("Tokens are bound to a key, and requests prove it")
    func bound() async throws {
        let fixture = try await WorkloadFixture { $0.requiresDPoPNonces = true }
        let provider = try fixture.provider(WorkloadFixture.credentials.merging(["bindsTokens": true]) { $1 })
        let account = try #require(try await provider.activeAccount(scopes: [], deviceToken: "d"))
        let request = URLRequest(url: fixture.server.url.appendingPathComponent("api/resource"))
        let client = IdentityClient(provider: provider, environment: IdentityEnvironment(store: MemoryTokenStore()))
        #expect(try await client.data(for: request, as: account).1.statusCode == 200)
        let authorized = try await provider.authorize(request, for: account, scopes: [])
        #expect(authorized.value(forHTTPHeaderField: "Authorization")?.hasPrefix("DPoP ") == true)
        await fixture.stop()
    }

    @Test("A token endpoint that is given needs no metadata")
    func givenEndpoint() async throws {
        let fixture = try await WorkloadFixture()
        let address = fixture.server.url.appendingPathComponent("token").absoluteString
        let provider = try fixture.provider(
            WorkloadFixture.credentials.merging(["endpoints": ["token_endpoint": .string(address)]]) { $1 })
        #expect(try await fixture.subject(of: provider) == "service")
        #expect(fixture.server.http.log.filter { $0.path.contains(".well-known") }.isEmpty)
        await fixture.stop()
    }

    // MARK: Scopes

    @Test("Each set of scopes has its token, and one that is not granted is refused")
    func scopes() async throws {
        let fixture = try await WorkloadFixture()
        let provider = try fixture.provider(WorkloadFixture.credentials)
        let account = try #require(try await provider.activeAccount(scopes: [], deviceToken: "d"))
        let narrow = try await provider.accessToken(for: account, scopes: [])
        let wide = try await provider.accessToken(for: account, scopes: ["write"])
        #expect(narrow != wide)
        #expect(try await provider.accessToken(for: account, scopes: []) == narrow)
        #expect(fixture.tokenRequests == 2)
        await #expect(throws: OAuthError.self) {
            _ = try await provider.requestAuthorization(for: account, scopes: ["unknown"], deviceToken: "d")
        }
        fixture.server.vary(.narrowedScope)
        await #expect(throws: SessionError.self) {
            try await provider.accessToken(for: account, scopes: ["write", "profile"])
        }
        await fixture.stop()
    }

    // MARK: Ends

    @Test("A thousand callers of an expired token make one request, and a cancelled one leaves the others alone")
    func oneRequest() async throws {
        let fixture = try await WorkloadFixture()
        let provider = try fixture.provider(WorkloadFixture.credentials)
        let account = try #require(try await provider.activeAccount(scopes: [], deviceToken: "d"))
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<1000 { group.addTask { try await provider.accessToken(for: account, scopes: []) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(fixture.tokenRequests == 1)
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/token")
        let patient = Task { try await provider.accessToken(for: account, scopes: ["write"]) }
        await gate.waitForAnswer()
        let impatient = Task { try await provider.accessToken(for: account, scopes: ["write"]) }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        gate.open()
        _ = try await patient.value
        #expect(fixture.tokenRequests == 2)
        await fixture.stop()
    }

    @Test("While the server is away a valid token stays in use, and the server is not asked with every call")
    func offline() async throws {
        let fixture = try await WorkloadFixture()
        let provider = try fixture.provider(WorkloadFixture.credentials)
        let account = try #require(try await provider.activeAccount(scopes: [], deviceToken: "d"))
        let token = try await provider.accessToken(for: account, scopes: [])
        fixture.clock.advance(by: .seconds(3500))
        fixture.server.http.standingFaults = StandingFaults(failure: 503)
        let before = fixture.tokenRequests
        for _ in 0..<5 { #expect(try await provider.accessToken(for: account, scopes: []) == token) }
        #expect(fixture.tokenRequests == before + 1)
        // The next pause.
        fixture.clock.advance(by: .seconds(20))
        #expect(try await provider.accessToken(for: account, scopes: []) == token)
        #expect(fixture.tokenRequests == before + 2)
        fixture.clock.advance(by: .seconds(100))
        let error = await #expect(throws: OAuthError.self) {
            try await provider.accessToken(for: account, scopes: [])
        }
        #expect(error?.failureClass == .transient)
        await fixture.stop()
    }

    @Test("A refused token is replaced once for all callers; one that the server issues again is an error")
    func refused() async throws {
        let fixture = try await WorkloadFixture()
        let provider = try fixture.provider(WorkloadFixture.credentials)
        let account = try #require(try await provider.activeAccount(scopes: [], deviceToken: "d"))
        let first = try await provider.accessToken(for: account, scopes: [])
        let second = try await provider.accessToken(
            for: account, scopes: [], resource: nil, freshness: .other(than: first))
        #expect(second != first)
        let again = try await provider.accessToken(
            for: account, scopes: [], resource: nil, freshness: .other(than: first))
        #expect(again == second)
        #expect(fixture.tokenRequests == 2)
        fixture.server.revokeAllFamilies()
        let request = URLRequest(url: fixture.server.url.appendingPathComponent("api/resource"))
        let client = IdentityClient(provider: provider, environment: IdentityEnvironment(store: MemoryTokenStore()))
        let (_, response) = try await client.data(for: request, as: account)
        #expect(response.statusCode == 200)
        await fixture.stop()
    }

    @Test("A sign-out forgets and revokes the tokens, and lasts until the next sign-in")
    func signOut() async throws {
        let fixture = try await WorkloadFixture()
        let provider = try fixture.provider(WorkloadFixture.credentials)
        let account = try #require(try await provider.activeAccount(scopes: [], deviceToken: "d"))
        let token = try await provider.accessToken(for: account, scopes: [])
        try await provider.signOut(account)
        let request = try URLRequest(url: fixture.server.url.appendingPathComponent("api/resource")).bearing(token)
        #expect(try await DefaultTransport.make().data(for: request).1.statusCode == 401)
        guard case .absent(.signedOut) = try await provider.silentAccount(scopes: [], deviceToken: "d") else {
            Issue.record("It is signed in.")
            return
        }
        await #expect(throws: FixedTokenError.notSignedIn(account)) {
            try await provider.accessToken(for: account, scopes: [])
        }
        try await provider.signOut(account)
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == account)
        #expect(try await provider.accessToken(for: account, scopes: []) != token)
        await fixture.stop()
    }

    @Test("A sign-out while a token is requested leaves none behind")
    func signOutMeanwhile() async throws {
        let fixture = try await WorkloadFixture()
        let provider = try fixture.provider(WorkloadFixture.credentials)
        let account = try #require(try await provider.activeAccount(scopes: [], deviceToken: "d"))
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/token")
        let token = Task { try await provider.accessToken(for: account, scopes: []) }
        await gate.waitForAnswer()
        try await provider.signOut(account)
        gate.open()
        await #expect(throws: FixedTokenError.notSignedIn(account)) { try await token.value }
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        _ = try await provider.accessToken(for: account, scopes: [])
        #expect(fixture.tokenRequests == 2)
        await fixture.stop()
    }
}
