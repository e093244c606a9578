import Tidewater
import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing

/// Checks that Tidewater's provider keeps the contract of identity providers, at a local OAuth server.
@Suite struct TidewaterConformanceTests {
    @Test("Tidewater keeps the contract", arguments: ProviderRule.allCases)
    func conforms(rule: ProviderRule) async {
        let result = await ProviderConformance.check(rule) { try await Self.subject() }
        #expect(result.passes, "\(result)")
    }

    @Test("No rule of the contract is left out")
    func report() async {
        let report = await ProviderConformance.check { try await Self.subject() }
        #expect(report.passes && report.leftOut.isEmpty, "\(report)")
    }

    /// Makes a new provider with nobody signed in. Each rule is checked with a new provider.
    static func subject() async throws -> ProviderUnderTest {
        let (clock, screen, store) = (ManualClock(), InteractionCounter(), MemoryTokenStore())
        let (server, wire) = (try await LocalOpenIDConnectServer.start(clock: clock), WatchedTransport())
        @Sendable func makeProvider(
            _ browser: ScriptedBrowser, name: String = "tidewater", address: String? = nil
        ) throws -> any IdentityProvider {
            let environment = IdentityEnvironment(
                store: store, transport: wire, webAuthenticator: screen.counting(browser), time: clock.timeSource)
            let settings: [String: String] = [
                "baseURL": address ?? server.url.absoluteString, "clientID": server.client.id,
                "redirectURI": "com.example.app:/callback", "transportSecurity": "loopbackHTTPAllowed",
            ]
            return try TidewaterPlugin.makeProvider(
                settings: JSONDecoder().decode(TidewaterPlugin.Settings.self, from: JSONEncoder().encode(settings)),
                context: ProviderContext(name: name, environment: environment))
        }
        let person = ScriptedLogin(username: server.user.username, password: server.user.password)
        let patient = ScriptedBrowser { try await person.signIn(at: $0) }
        let impatient = ScriptedBrowser { _ in throw CancellationError() }
        let (provider, other) = (try makeProvider(patient), try makeProvider(impatient))

        var subject = ProviderUnderTest(provider) {
            // Advance the clock, because tokens issued within the same second could be equal.
            defer { clock.advance(by: .seconds(1)) }
            return try #require(await provider.activeAccount(scopes: [], deviceToken: "device"))
        }
        (subject.wire, subject.clock) = (wire, clock)
        subject.restart = { try makeProvider(impatient) }
        subject.configure = { name, address in try makeProvider(patient, name: name, address: address) }
        subject.giveUpSignIn = { try await other.activeAccount(scopes: [], deviceToken: "device") }
        subject.expire = { clock.advance(by: .seconds(3600)) }
        subject.revoke = { server.revokeTokens(ofUser: server.user.id) }
        subject.goOffline = { await server.stop() }
        subject.interactions = { screen.count }
        subject.refreshes = { server.counters.refreshes }
        subject.missingScope = "a-scope-nobody-granted"
        subject.secrets = [server.user.password.reveal()]
        // If your provider writes a log, set subject.log to a function that returns the log, in place of the next line. The
        // check then looks for secrets in the log.
        subject.lacks = [.log: "Tidewater writes none"]
        subject.finish = { await server.stop() }
        return subject
    }
}
