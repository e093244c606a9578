import Foundation
import IdentityKit
import IdentityTesting
import Testing

/// Acme keeps the contract of identity providers.
@Suite struct AcmeConformanceTests {
    @Test("Acme keeps the contract", arguments: ProviderRule.allCases)
    func conforms(rule: ProviderRule) async {
        let result = await ProviderConformance.check(rule) { try await Self.subject() }
        #expect(result.passes, "\(result)")
    }

    @Test("No rule of the contract is left out")
    func report() async {
        let report = await ProviderConformance.check { try await Self.subject() }
        #expect(report.passes && report.leftOut.isEmpty, "\(report)")
    }

    /// A fresh provider with nobody signed in. Each rule gets its own.
    static func subject() async throws -> ProviderUnderTest {
        let (backend, clock, screen) = (AcmeBackend(), ManualClock(), InteractionCounter())
        let (store, wire) = (MemoryTokenStore(), WatchedTransport(backend))
        @Sendable func makeProvider(
            _ answers: [PromptAnswer] = [], name: String = "acme", address: String? = nil
        ) throws -> any IdentityProvider {
            let environment = IdentityEnvironment(
                store: store, transport: wire, prompter: screen.counting(ScriptedPrompter(answers)), time: clock.dates)
            let settings = try JSONDecoder().decode(
                AcmePlugin.Settings.self, from: JSONEncoder().encode(["baseURL": address ?? "https://acme.example"]))
            return try AcmePlugin.makeProvider(
                settings: settings, context: ProviderContext(name: name, environment: environment))
        }
        let ada = [PromptAnswer(values: ["username": "ada", "password": Secret(AcmeBackend.password)])]
        let (provider, impatient) = (try makeProvider(ada), try makeProvider())

        var subject = ProviderUnderTest(provider) {
            try #require(await provider.activeAccount(scopes: [], deviceToken: "device"))
        }
        (subject.wire, subject.clock) = (wire, clock)
        subject.restart = { try makeProvider() }
        subject.configure = { name, address in try makeProvider(ada, name: name, address: address) }
        subject.giveUpSignIn = { try await impatient.activeAccount(scopes: [], deviceToken: "device") }
        subject.expire = { clock.advance(by: .seconds(3600)) }
        subject.revoke = { await backend.revoke() }
        subject.goOffline = { await backend.goOffline() }
        subject.interactions = { screen.count }
        subject.refreshes = { await backend.refreshes }
        subject.missingScope = "admin"
        subject.secrets = [AcmeBackend.password]
        // If your provider writes a log, return its text from subject.log instead: the check looks for secrets in it.
        subject.lacks = [.log: "Acme writes none"]
        return subject
    }
}
