import Foundation
import IdentityKit
import IdentityTesting
import Testing
import ThunderID

/// ThunderID keeps the contract of identity providers, signing in either way.
@Suite struct ThunderIDConformanceTests {
    @Test(
        "ThunderID keeps the contract", arguments: ProviderRule.allCases, ThunderIDSettings.SignInMethod.allCases)
    func conforms(rule: ProviderRule, method: ThunderIDSettings.SignInMethod) async {
        let result = await ProviderConformance.check(rule) { try await Self.subject(method) }
        #expect(!result.isBroken, "\(result)")
    }

    private static func subject(_ method: ThunderIDSettings.SignInMethod) async throws -> ProviderUnderTest {
        let (fixture, screen) = (try await ThunderIDFixture(), InteractionCounter())
        let provider = try fixture.provider(
            method: method, prompter: screen.counting(ScriptedPrompter(fixture.credentials)),
            browser: screen.counting(fixture.browser))
        let impatient = try fixture.provider(
            method: method, prompter: ScriptedPrompter([PromptAnswer]()),
            browser: ScriptedBrowser { _ in throw CancellationError() })
        var subject = ProviderUnderTest(provider) {
            // Tokens of one second may be the same token.
            defer { fixture.clock.advance(by: .seconds(1)) }
            return try #require(await provider.signIn(scopes: [], deviceToken: "device"))
        }
        subject.giveUpSignIn = { try await impatient.signIn(scopes: [], deviceToken: "device") }
        subject.expire = { fixture.clock.advance(by: .seconds(3600)) }
        subject.revoke = { fixture.server.revokeFamilies(ofUser: fixture.server.user.id) }
        subject.goOffline = { await fixture.server.stop() }
        subject.interactions = { screen.count }
        subject.refreshes = { fixture.server.counters.refreshes }
        subject.missingScope = "a-scope-nobody-granted"
        subject.secrets = [fixture.server.user.password.reveal()]
        subject.finish = { await fixture.server.stop() }
        return subject
    }
}
