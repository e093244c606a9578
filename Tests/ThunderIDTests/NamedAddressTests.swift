import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityTesting
import TestSupport
import Testing
import ThunderID

/// A ThunderID server that others choose names addresses which only this program can reach.
@Suite struct NamedAddressTests {
    @Test(
        "No request goes to a private address that the metadata names",
        arguments: ["pushed_authorization_request_endpoint", "token_endpoint", "jwks_uri"],
        [ThunderIDSettings.SignInMethod.native, .redirect])
    func refused(endpoint: String, method: ThunderIDSettings.SignInMethod) async throws {
        let fixture = try await ThunderIDFixture()
        let neighbour = try await LocalHTTPServer.start { _ in .text("ok") }
        let address = "http://localhost:\(neighbour.url.port ?? 0)/secret"
        var environment = IdentityEnvironment(
            store: fixture.store, transport: RenamingTransport(endpoint: endpoint, address: address),
            prompter: ScriptedPrompter(fixture.credentials), webAuthenticator: fixture.browser,
            time: fixture.clock.dates)
        environment.refusesPrivateAddresses = true
        let settings = ThunderIDSettings(
            baseURL: try ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true),
            clientID: fixture.server.application.clientID,
            redirectURI: fixture.server.application.redirectURIs.first.flatMap(URL.init(string:)), method: method,
            allowsLoopbackHTTP: true)
        let provider = try ThunderIDProvider(
            settings: settings, context: ProviderContext(name: "work", environment: environment))
        let error = await iamError { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.code == .networkError && error?.message.contains("which is an address of this machine") == true)
        #expect(neighbour.connectionCount == 0)
        await neighbour.stop()
        await fixture.server.stop()
    }
}
