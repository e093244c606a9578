import Foundation
import IdentityKit
import IdentityTesting
import Testing

/// A provider for any OpenID Connect server keeps the contract of identity providers.
@Suite struct OpenIDConnectConformanceTests {
    @Test("OpenID Connect keeps the contract", arguments: ProviderRule.allCases)
    func conforms(rule: ProviderRule) async {
        let result = await ProviderConformance.check(rule) { try await Self.subject() }
        #expect(!result.isBroken, "\(result)")
    }

    private static func subject() async throws -> ProviderUnderTest {
        let (fixture, screen) = (try await OpenIDFixture(), InteractionCounter())
        let provider = fixture.provider(browser: screen.counting(fixture.browser))
        let impatient = fixture.provider(browser: ScriptedBrowser { _ in throw CancellationError() })
        var subject = ProviderUnderTest(provider) {
            // Tokens of one second may be the same token.
            defer { fixture.clock.advance(by: .seconds(1)) }
            return try #require(await provider.signIn(scopes: [], deviceToken: "device"))
        }
        subject.giveUpSignIn = { try await impatient.signIn(scopes: [], deviceToken: "device") }
        subject.expire = { fixture.clock.advance(by: .seconds(3600)) }
        subject.revoke = { fixture.server.revokeTokens(ofUser: fixture.server.user.id) }
        subject.goOffline = { await fixture.server.stop() }
        subject.interactions = { screen.count }
        subject.refreshes = { fixture.server.counters.refreshes }
        subject.missingScope = "a-scope-nobody-granted"
        subject.secrets = [fixture.server.user.password.reveal()]
        subject.finish = { await fixture.server.stop() }
        return subject
    }
}
