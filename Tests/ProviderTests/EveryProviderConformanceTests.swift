import Foundation
import IdentityKit
import IdentityTesting
import Testing

/// Every provider keeps the contract of identity providers.
@Suite struct EveryProviderConformanceTests {
    @Test("Every provider keeps the contract", arguments: ProviderRule.allCases, ProviderCase.allCases)
    func conforms(rule: ProviderRule, provider: ProviderCase) async {
        let result = await ProviderConformance.check(rule) { try await Self.subject(provider) }
        #expect(result.passes, "\(result)")
    }

    private static func subject(_ provider: ProviderCase) async throws -> ProviderUnderTest {
        let (scene, screen, wire) = (try await provider.scene(), InteractionCounter(), WatchedTransport())
        let provider = try scene.provider(
            ProviderScene.Person(
                prompter: scene.person.prompter.map { screen.counting($0) },
                browser: scene.person.browser.map { screen.counting($0) }), transport: wire)
        let impatient = try scene.provider(.impatient, transport: wire)
        var subject = ProviderUnderTest(provider) {
            // Tokens of one second may be the same token.
            defer { scene.clock.advance(by: .seconds(1)) }
            return try #require(await provider.signIn(scopes: [], deviceToken: "device"))
        }
        (subject.wire, subject.clock) = (wire, scene.clock)
        subject.restart = { try scene.provider(.absent, transport: wire) }
        subject.configure = { name, address in try scene.provider(transport: wire, name: name, address: address) }
        subject.giveUpSignIn = { try await impatient.signIn(scopes: [], deviceToken: "device") }
        subject.expire = { scene.clock.advance(by: scene.tokenLifetime) }
        subject.revoke = { scene.revoke() }
        subject.goOffline = { await scene.stop() }
        subject.interactions = { screen.count }
        subject.refreshes = { scene.refreshes() }
        subject.missingScope = scene.missingScope
        if scene.missingScope == nil { subject.lacks[.scopes] = "its server has none" }
        subject.lacks[.log] = "what is told to observers is searched where all of it is made"
        subject.secrets = [scene.password]
        subject.finish = { await scene.stop() }
        return subject
    }
}
