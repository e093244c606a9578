import Foundation
import IdentityKit
import IdentityTesting
import Testing
import ThunderID

/// What a token of a known session costs in the store.
@Suite struct StoreReadTests {
    private let store = FaultyTokenStore()

    /// How many records and how many listings some calls for a token read.
    private func cost(of count: Int, _ expected: String, _ token: () async throws -> String) async throws -> [Int] {
        let before = [store.count(of: .read), store.count(of: .list, in: .accounts)]
        var tokens: Set<String> = []
        for _ in 0..<count { tokens.insert(try await token()) }
        #expect(tokens == [expected])
        return [store.count(of: .read) - before[0], store.count(of: .list, in: .accounts) - before[1]]
    }

    @Test("A token of the client costs what it costs with the provider: the index and the session it names")
    func unnamed() async throws {
        let fixture = try await ClientFixture()
        let environment = IdentityEnvironment(store: store, transport: fixture.wire, time: fixture.clock.dates)
        let client = ThunderIDClient(environment: environment)
        try await client.initialize(config: fixture.config())
        try await fixture.signIn(client)
        let token = try await client.getAccessToken()
        let clientCost = try await cost(of: 10, token) { try await client.getAccessToken() }
        let provider = try ThunderIDProvider(
            settings: ThunderIDSettings(
                baseURL: ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true),
                clientID: fixture.server.application.clientID,
                redirectURI: fixture.server.application.redirectURIs.first.flatMap(URL.init(string:)),
                allowsLoopbackHTTP: true),
            context: ProviderContext(name: ThunderIDPlugin.type, environment: environment))
        func providerToken() async throws -> String {
            let account = try #require(try await provider.silentAccount(scopes: [], deviceToken: "d").account)
            return try await provider.accessToken(for: account, scopes: [])
        }
        #expect(try await providerToken() == token)
        let providerCost = try await cost(of: 10, token, providerToken)
        #expect(clientCost == [20, 0])
        #expect(providerCost == clientCost)
        await fixture.server.stop()
    }

    @Test("A token of a session with a name costs nothing, until the session changes")
    func named() async throws {
        let fixture = try await ClientFixture()
        let client = ThunderIDClient(
            environment: IdentityEnvironment(store: store, transport: fixture.wire, time: fixture.clock.dates))
        try await client.initialize(config: fixture.config())
        try await fixture.signIn(client, sessionId: "second")
        let token = try await client.getAccessToken(sessionId: "second")
        let known = try await cost(of: 10, token) { try await client.getAccessToken(sessionId: "second") }
        #expect(known == [0, 0])
        fixture.clock.advance(by: .seconds(31))
        let checked = try await cost(of: 1, token) { try await client.getAccessToken(sessionId: "second") }
        #expect(checked == [2, 0], "a marker is a hint, and not relied on for longer than that")
        try await client.signOut(sessionId: "second")
        #expect(await iamError { try await client.getAccessToken(sessionId: "second") }?.code == .sessionExpired)
        await fixture.server.stop()
    }
}
