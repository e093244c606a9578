import Foundation
import IdentityKit
import IdentityTesting
import LocalServers
import OpenIDConnect
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
        let server = try await LocalOpenIDConnectServer.start()
        let login = ScriptedLogin(username: server.user.username, password: server.user.password)
        let provider = OpenIDConnectProvider(
            settings: OpenIDConnectSettings(
                issuer: server.issuer, clientID: server.client.id,
                redirectURI: URL(string: "com.example.app:/callback"), transportSecurity: .loopbackHTTPAllowed),
            context: ProviderContext(
                name: "work",
                environment: IdentityEnvironment(
                    store: MemoryTokenStore(),
                    webAuthenticator: ScriptedBrowser { try await login.signIn(at: $0) })))
        var subject = ProviderUnderTest(provider) {
            try #require(await provider.signIn(scopes: [], deviceToken: "device"))
        }
        subject.finish = { await server.stop() }
        return subject
    }
}
