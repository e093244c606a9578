import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing
import ThunderID

/// The tests that the article shows.
@Suite struct TestingOffline {
    // snippet: a-server-on-this-machine
    @Test("An expired token is refreshed once for all callers") func refresh() async throws {
        let clock = ManualClock()
        let server = try await LocalThunderIDServer.start(clock: clock)
        let client = try makeClient(for: server, clock: clock)
        try await client.signIn(scopes: ["openid"])
        let first = try await client.accessToken()

        clock.advance(by: server.configuration.accessTokenLifetime)
        async let second = client.accessToken()
        async let third = client.accessToken()
        #expect(try await second == third)
        #expect(try await second != first)
        #expect(server.counters.refreshes == 1)
        await server.stop()
    }
    // end snippet

    // snippet: a-client-for-a-test
    func makeClient(for server: LocalThunderIDServer, clock: ManualClock) throws -> IdentityClient {
        let configuration = IdentityConfiguration(
            store: .memory,
            providers: [
                ProviderConfiguration(
                    name: "work", type: "thunderid",
                    settings: [
                        "baseURL": .string(server.url.absoluteString), "allowsLoopbackHTTP": true, "signIn": "native",
                        "clientID": .string(server.application.clientID),
                        "redirectURI": .string(server.application.redirectURIs.first ?? ""),
                    ])
            ])
        let person = ScriptedPrompter(["username": Secret(server.user.username), "password": server.user.password])
        return try IdentityClient(
            configuration: configuration, registry: ProviderRegistry([ThunderIDPlugin.self]),
            environment: IdentityEnvironment(store: MemoryTokenStore(), prompter: person, time: clock.dates))
    }
    // end snippet

    // snippet: a-lost-answer
    @Test("A lost response does not end the session") func lostResponse() async throws {
        let clock = ManualClock()
        let server = try await LocalThunderIDServer.start(clock: clock)
        let client = try makeClient(for: server, clock: clock)
        let account = try await client.signIn(scopes: ["openid"])

        server.http.fail(.answer(.text("busy", status: 503)), pathPrefix: "/oauth2/token")
        clock.advance(by: server.configuration.accessTokenLifetime)
        await #expect(throws: (any Error).self) { try await client.accessToken() }
        #expect(try await client.account() == account)
        // The refresh token is not sent again before a short pause is over.
        clock.advance(by: .seconds(3))
        _ = try await client.accessToken()
        await server.stop()
    }
    // end snippet

    @Test("An answer that is held back is a refresh nobody knows of") func heldAnswer() async throws {
        let clock = ManualClock()
        let server = try await LocalThunderIDServer.start(clock: clock)
        let client = try makeClient(for: server, clock: clock)
        try await client.signIn(scopes: ["openid"])
        let first = try await client.accessToken()
        clock.advance(by: server.configuration.accessTokenLifetime)
        // snippet: an-answer-held-back
        let gate = AnswerGate()
        server.http.fail(.holdAnswer(gate), pathPrefix: "/oauth2/token")
        async let refreshed = client.accessToken()
        await gate.waitForAnswer()  // The server has acted, and the client does not know it yet.
        gate.open()
        // end snippet
        #expect(try await refreshed != first)
        #expect(server.counters.refreshes == 1)
        await server.stop()
    }
}
