import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import Testing

/// The suite that the conformance checks are called from.
@Suite struct CheckingAProvider {
    // snippet: checking-a-provider
    @Test(arguments: ProviderRule.allCases)
    func conforms(rule: ProviderRule) async {
        let result = await ProviderConformance.check(rule) { try await makeProviderUnderTest() }
        #expect(result.passes, "\(result)")
    }
    // end snippet

    private func makeProviderUnderTest() async throws -> ProviderUnderTest {
        let (clock, screen) = (ManualClock(), InteractionCounter())
        let server = try await LocalOpenIDConnectServer.start(clock: clock)
        let login = ScriptedLogin(username: server.user.username, password: server.user.password)
        let (store, wire) = (MemoryTokenStore(), WatchedTransport())
        @Sendable func provider(
            _ browser: any WebAuthenticator, name: String = "work", address: String? = nil
        ) -> OAuthSessionProvider {
            OAuthSessionProvider(
                OpenIDConnectSettings(
                    issuer: address ?? server.issuer, clientID: server.client.id,
                    redirectURI: URL(string: "com.example.app:/callback"), transportSecurity: .loopbackHTTPAllowed
                ).server,
                context: ProviderContext(
                    name: name,
                    environment: IdentityEnvironment(
                        store: store, transport: wire, webAuthenticator: browser, time: clock.dates)))
        }
        let browser = ScriptedBrowser { try await login.signIn(at: $0) }
        let nobody = ScriptedBrowser { _ in throw CancellationError() }
        let signedIn = provider(screen.counting(browser))
        var subject = ProviderUnderTest(signedIn) {
            // Tokens of one second may be the same token.
            defer { clock.advance(by: .seconds(1)) }
            return try #require(await signedIn.signIn(in: CallerContext(deviceToken: "device")))
        }
        subject.giveUpSignIn = {
            try await provider(nobody).signIn(in: CallerContext(deviceToken: "device"))
        }
        (subject.wire, subject.clock) = (wire, clock)
        subject.restart = { provider(nobody) }
        subject.configure = { name, address in provider(browser, name: name, address: address) }
        subject.expire = { clock.advance(by: .seconds(3600)) }
        subject.revoke = { server.revokeTokens(ofUser: server.user.id) }
        subject.goOffline = { await server.stop() }
        subject.interactions = { screen.count }
        subject.refreshes = { server.counters.refreshes }
        subject.missingScope = "a-scope-nobody-granted"
        subject.secrets = [server.user.password.reveal()]
        subject.lacks = [.log: "it writes none"]
        subject.finish = { await server.stop() }
        return subject
    }
}
