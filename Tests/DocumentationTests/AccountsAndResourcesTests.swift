import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The program with which the article on accounts and resources begins, at a real server.
@Suite(.endsInTime) struct AccountsAndResourcesTests {
    @Test("The first program reads for two people, and gets a token for another API")
    func runs() async throws {
        let ada = LocalOpenIDConnectServer.User()
        let grace = LocalOpenIDConnectServer.User(id: "grace-1", username: "grace", claims: [:])
        let server = try await LocalOpenIDConnectServer.start(
            configuration: .init { ($0.users, $0.resourceIndicators) = ([ada, grace], .named) })
        let folder = try TemporaryFolder()
        let provider = ProviderConfiguration(
            name: "work", type: OpenIDConnectPlugin.type,
            settings: [
                "issuer": .string(server.issuer), "clientID": .string(server.client.id),
                "redirectURI": "com.example.app:/callback", "allowsLoopbackHTTP": true,
                "scopes": ["openid", "offline_access"],
            ], silentDeadline: SilentDeadline(.seconds(3600)))
        let configuration = IdentityConfiguration(
            store: .file(folder: folder.file("store").path, key: .keyFile()), providers: [provider])
        let registry = ProviderRegistry([OpenIDConnectPlugin.self])
        // Grace is the last one, and active.
        for person in [ada, grace] {
            let login = ScriptedLogin(username: person.username, password: person.password)
            let environment = IdentityEnvironment(
                store: try configuration.store.open(),
                webAuthenticator: ScriptedBrowser { try await login.signIn(at: $0) })
            _ = try await IdentityClient(configuration: configuration, registry: registry, environment: environment)
                .signIn(with: "work")
        }
        let request = URLRequest(url: server.url.appendingPathComponent("api/resource"))
        let (mine, hers, reports) = try await readForTwo(
            configuration, registry, AccountID(account: ada.id, realm: "work"), request)
        let people = try [mine, hers].map { try JSONValue(parsing: $0)["subject"]?.stringValue }
        #expect(people == [grace.id, ada.id])
        #expect(try JSONWebToken(Secret(reports)).audience == ["https://reports.example.com"])
        await server.stop()
    }
}
