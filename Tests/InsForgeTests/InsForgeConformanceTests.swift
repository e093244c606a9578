import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import Testing

/// InsForge keeps the contract of identity providers.
@Suite struct InsForgeConformanceTests {
    @Test("InsForge keeps the contract", arguments: ProviderRule.allCases)
    func conforms(rule: ProviderRule) async {
        let result = await ProviderConformance.check(rule) { try await Self.subject() }
        #expect(!result.isBroken, "\(result)")
    }

    private static func subject() async throws -> ProviderUnderTest {
        let (fixture, screen) = (try await InsForgeFixture(), InteractionCounter())
        let provider = try fixture.provider(prompter: screen.counting(ScriptedPrompter(fixture.credentials)))
        let impatient = try fixture.provider(prompter: ScriptedPrompter([PromptAnswer]()))
        var subject = ProviderUnderTest(provider) {
            // Tokens of one second are the same token.
            defer { fixture.clock.advance(by: .seconds(1)) }
            return try #require(await provider.signIn(scopes: [], deviceToken: "device"))
        }
        subject.giveUpSignIn = { try await impatient.signIn(scopes: [], deviceToken: "device") }
        subject.expire = { fixture.clock.advance(by: .seconds(15 * 60)) }
        // InsForge has no session to revoke; what ends one is the end of its user.
        subject.revoke = { fixture.server.deleteUser(id: fixture.server.user.id) }
        subject.goOffline = { await fixture.server.stop() }
        subject.interactions = { screen.count }
        subject.refreshes = { fixture.server.counters.refreshes }
        subject.secrets = [fixture.server.user.password]
        subject.finish = { await fixture.server.stop() }
        return subject
    }
}
