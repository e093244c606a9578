import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

/// A server that others choose names addresses which only this program can reach.
@Suite struct NamedAddressTests {
    private func provider(
        _ fixture: OpenIDFixture, naming endpoint: String, at address: String,
        _ configure: (inout OpenIDConnectSettings) -> Void = { _ in }
    ) -> OAuthSessionProvider {
        var environment = IdentityEnvironment(
            store: fixture.store, transport: RenamingTransport(endpoint: endpoint, address: address),
            webAuthenticator: fixture.browser, time: fixture.clock.dates)
        environment.refusesPrivateAddresses = true
        return OAuthSessionProvider(
            fixture.settings(configure).server, context: ProviderContext(name: "work", environment: environment))
    }

    @Test(
        "No request goes to a private address that the metadata names",
        arguments: ["token_endpoint", "jwks_uri", "pushed_authorization_request_endpoint"])
    func refused(endpoint: String) async throws {
        let fixture = try await OpenIDFixture()
        let neighbour = try await LocalHTTPServer.start { _ in .text("ok") }
        let address = "http://localhost:\(neighbour.url.port ?? 0)/secret"
        let provider = provider(fixture, naming: endpoint, at: address)
        let error = await #expect(throws: (any Error).self) {
            try await provider.signIn(scopes: [], deviceToken: "d")
        }
        #expect((error as? any IdentityFailure)?.failureCode == "private_address")
        #expect(neighbour.connectionCount == 0)
        await neighbour.stop()
        await fixture.server.stop()
    }

    @Test("The same address in the settings is asked, and the server's own origin is")
    func configured() async throws {
        let fixture = try await OpenIDFixture()
        let token = "http://localhost:\(fixture.server.url.port ?? 0)/token"
        let provider = provider(fixture, naming: "userinfo_endpoint", at: fixture.server.issuer + "/userinfo") {
            $0.endpoints[.token] = URL(string: token)
        }
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test("A refresh at a private address is not sent, and the session stays")
    func refresh() async throws {
        let fixture = try await OpenIDFixture()
        _ = try await fixture.signedIn()
        let address = "http://localhost:\(fixture.server.url.port ?? 0)/token"
        let provider = provider(fixture, naming: "token_endpoint", at: address)
        fixture.clock.advance(by: .seconds(3600))
        let error = await #expect(throws: (any Error).self) {
            try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect((error as? any IdentityFailure)?.failureCode == "private_address")
        #expect(fixture.server.counters.refreshes == 0)
        #expect(try await provider.sessions.storedCredential(of: fixture.account) != nil)
        await fixture.server.stop()
    }
}
