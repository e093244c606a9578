import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Clients that register themselves (RFC 7591, RFC 7592).
@Suite struct RegistrationTests {
    private func fixture(
        store: any TokenStore = MemoryTokenStore(),
        _ configure: (inout LocalOpenIDConnectServer.Configuration) -> Void = { _ in }
    ) async throws -> OpenIDFixture {
        try await OpenIDFixture(store: store) {
            $0.allowsRegistration = true
            configure(&$0)
        }
    }

    private func clientID(_ fixture: OpenIDFixture) async throws -> String? {
        try await fixture.provider { $0.register() }.sessions.storedCredential(of: fixture.account)?.clientID
    }

    @Test("A client registers once, and every sign-in, refresh and sign-out after that is its own")
    func wholeSession() async throws {
        let fixture = try await fixture()
        let provider = try await fixture.signedIn { $0.register() }
        let id = try await clientID(fixture)
        #expect(id != "" && id != fixture.server.client.id)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        // Another start of the app.
        let restarted = try await fixture.signedIn { $0.register() }
        fixture.clock.advance(by: .seconds(3600))
        _ = try await restarted.accessToken(for: fixture.account, scopes: [])
        _ = try await restarted.userInfo(for: fixture.account)
        #expect(fixture.server.counters.registrations == 1)
        #expect(fixture.server.counters.refreshes == 2)
        #expect(try await clientID(fixture) == id)
        try await restarted.signOut(fixture.account)
        #expect(fixture.requests(to: "/revoke") == 2)
        #expect(fixture.server.counters.signOuts == 1)
        await fixture.server.stop()
    }

    @Test("Of many that start at the same time, one registers")
    func once() async throws {
        let fixture = try await fixture()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let browser = ScriptedBrowser { _ in throw CancellationError() }
                    let provider = fixture.provider(browser: browser, time: .system) { $0.register() }
                    await #expect(throws: CancellationError.self) {
                        try await provider.signIn(scopes: [], deviceToken: "d")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(fixture.server.counters.registrations == 1)
        await fixture.server.stop()
    }

    @Test(
        "A server that has forgotten the client is registered at again, before a page is shown",
        arguments: [true, false])
    func forgotten(isManaged: Bool) async throws {
        let fixture = try await fixture()
        if !isManaged { fixture.server.vary(.registrationUnmanaged) }
        _ = try await fixture.signedIn { $0.register() }
        let former = try await clientID(fixture)
        fixture.server.forgetRegisteredClients()
        _ = try await fixture.signedIn { $0.register() }
        #expect(try await clientID(fixture) != former)
        #expect(fixture.server.counters.registrations == 2)
        await fixture.server.stop()
    }

    @Test("A bare 401 or 404 at the configuration endpoint says that the client is unknown", arguments: [401, 404])
    func forgottenWithoutAWord(status: Int) async throws {
        let fixture = try await fixture()
        _ = try await fixture.signedIn { $0.register() }
        let former = try await clientID(fixture)
        fixture.server.http.fail(.answer(.json("no", status: status)), pathPrefix: "/register")
        _ = try await fixture.signedIn { $0.register() }
        #expect(try await clientID(fixture) != former)
        #expect(fixture.server.counters.registrations == 2)
        await fixture.server.stop()
    }

    /// The registered clients in the store, the current one first.
    private func storedClients(_ fixture: OpenIDFixture) async throws -> [RegisteredClient] {
        struct Record: Decodable { let clients: [RegisteredClient] }
        let contents = try await fixture.store.records(in: .clients).records.compactMap(\.content)
        return try contents.flatMap { try JSONDecoder().decode(Record.self, from: $0).clients }
    }

    @Test("A registration that is read brings the next registration access token (RFC 7592 section 2.1)")
    func changedToken() async throws {
        let fixture = try await fixture()
        _ = try await fixture.signedIn { $0.register() }
        let former = try #require(try await storedClients(fixture).first)
        // The change makes the former token invalid. Here the response to the next read names the new one.
        let address = try #require(URL(string: OpenIDFixture.redirectURI))
        let changed = try await ClientConfigurationRequest(
            .update(ClientMetadata(redirectURIs: [address])), former, transportSecurity: .loopbackHTTPAllowed
        ).send(using: DefaultTransport.make())
        let token = try #require(changed?.registrationAccessToken)
        #expect(token != former.registrationAccessToken)
        let read: JSONValue = [
            "client_id": .string(former.id), "registration_access_token": .string(token.reveal()),
        ]
        fixture.server.http.fail(.answer(.json(read)), pathPrefix: "/register")
        for _ in 0..<2 { _ = try await fixture.signedIn { $0.register() } }
        #expect(fixture.server.counters.registrations == 1)
        let kept = try await storedClients(fixture)
        #expect(kept.map(\.registrationAccessToken) == [token])
        await fixture.server.stop()
    }

    @Test("A client that seems unknown stays until another one is registered")
    func failedReplacement() async throws {
        let fixture = try await fixture()
        _ = try await fixture.signedIn { $0.register() }
        for status in [401, 503] {
            fixture.server.http.fail(.answer(.json("no", status: status)), pathPrefix: "/register")
        }
        await #expect(throws: OAuthError.self) { try await fixture.signedIn { $0.register() } }
        _ = try await fixture.signedIn { $0.register() }
        #expect(fixture.server.counters.registrations == 1)
        await fixture.server.stop()
    }

    @Test(
        "Only a 401 or 404 at the configuration endpoint, or the right error, says that the client is unknown",
        arguments: [
            (true, 403, nil), (false, 403, nil), (false, 401, nil), (false, 404, nil),
            (false, 400, "unauthorized_client"), (false, 400, "invalid_token"), (true, 403, "unauthorized_client"),
            (false, 503, "invalid_client"),
        ] as [(Bool, Int, String?)])
    func refusedOtherwise(isManaged: Bool, status: Int, error: String?) async throws {
        let fixture = try await fixture()
        if !isManaged { fixture.server.vary(.registrationUnmanaged) }
        _ = try await fixture.signedIn { $0.register() }
        let former = try await clientID(fixture)
        let body: JSONValue = error.map { ["error": .string($0)] } ?? "no"
        fixture.server.http.fail(
            .answer(.json(body, status: status)), pathPrefix: isManaged ? "/register" : "/token")
        _ = try await fixture.signedIn { $0.register() }
        #expect(try await clientID(fixture) == former)
        #expect(fixture.server.counters.registrations == 1)
        await fixture.server.stop()
    }

    @Test("A session whose client is forgotten is suspended once that is sure, and the next sign-in registers anew")
    func forgottenSession() async throws {
        let fixture = try await fixture()
        let provider = try await fixture.signedIn { $0.register() }
        fixture.server.forgetRegisteredClients()
        fixture.clock.advance(by: .seconds(3600))
        await #expect(throws: OAuthError.self) { try await provider.accessToken(for: fixture.account, scopes: []) }
        fixture.clock.advance(by: .seconds(30))
        let error = await #expect(throws: SessionError.self) {
            try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect(error?.failureCode == "session_suspended")
        #expect(error?.asksForSignIn == true)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.registrations == 2)
        await fixture.server.stop()
    }

    @Test("A session goes on after refusals that are not about its registered client")
    func unauthorizedClient() async throws {
        let fixture = try await fixture()
        let provider = try await fixture.signedIn { $0.register() }
        fixture.server.http.fail(
            .answer(.json(["error": "unauthorized_client"], status: 400)), pathPrefix: "/token", times: 2)
        for _ in 0..<2 {
            fixture.clock.advance(by: .seconds(3600))
            let error = await #expect(throws: (any Error).self) {
                try await provider.accessToken(for: fixture.account, scopes: [])
            }
            #expect(error?.identityFailureCode != "session_suspended")
        }
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        await fixture.server.stop()
    }

    /// A browser that cannot have the port of the registration.
    private struct OtherPort: WebAuthenticator {
        func redirectURI(for registered: URL) async throws -> URL {
            guard registered.port == nil else { throw URLError(.cannotConnectToHost) }
            return try await ScriptedBrowser(port: 5002) { _ in throw CancellationError() }
                .redirectURI(for: registered)
        }

        func authenticate(_ request: WebAuthenticationRequest) async throws -> URL { throw CancellationError() }
    }

    @Test("The port of the registration is kept; a session goes on with its client when another port is registered")
    func ports() async throws {
        let fixture = try await fixture()
        func configure(_ settings: inout OpenIDConnectSettings) {
            settings.register()
            settings.redirectURI = URL(string: "http://127.0.0.1/callback")
        }
        let login = fixture.login
        for port in [5001, 5003] {
            let browser = ScriptedBrowser(port: port) { try await login.signIn(at: $0) }
            _ = try await fixture.provider(browser: browser, configure).signIn(scopes: [], deviceToken: "d")
        }
        #expect(fixture.server.counters.registrations == 1)
        let former = try await clientID(fixture)
        await #expect(throws: CancellationError.self) {
            try await fixture.provider(browser: OtherPort(), configure).signIn(scopes: [], deviceToken: "d")
        }
        #expect(fixture.server.counters.registrations == 2)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.provider(configure).accessToken(for: fixture.account, scopes: [])
        #expect(try await clientID(fixture) == former)
        await fixture.server.stop()
    }

    @Test("A document of the app names it where the server takes one, and nothing is registered")
    func document() async throws {
        let document = "https://app.example.com/client.json"
        let fixture = try await fixture { $0.clientDocuments = [document: [OpenIDFixture.redirectURI]] }
        func configure(_ settings: inout OpenIDConnectSettings) {
            settings.register()
            settings.registration?.metadataDocument = URL(string: document)
        }
        let provider = try await fixture.signedIn(configure)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(try await clientID(fixture) == document)
        // After another start of the app, a session goes on where the metadata does not say so any more.
        var members = try await fixture.relyingParty().metadata.members
        members["client_id_metadata_document_supported"] = nil
        fixture.server.http.fail(.answer(.json(.object(members))), pathPrefix: "/.well-known/openid-configuration")
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.provider(configure).accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 2)
        #expect(fixture.server.counters.registrations == 0)
        await fixture.server.stop()

        // A server that takes none is registered at.
        let other = try await self.fixture()
        _ = try await other.signedIn(configure)
        #expect(other.server.counters.registrations == 1)
        await other.server.stop()
    }

    @Test("A server that lets only some register gets their token")
    func initialAccessToken() async throws {
        let fixture = try await fixture { $0.initialAccessToken = "let-me-in" }
        let error = await #expect(throws: OAuthError.self) { try await fixture.signedIn { $0.register() } }
        #expect(error?.failureCode == "invalid_token")
        _ = try await fixture.signedIn {
            $0.register()
            $0.registration?.initialAccessToken = "let-me-in"
        }
        await fixture.server.stop()
    }

    @Test("A server without registration says so, and no page is shown")
    func notSupported() async throws {
        let fixture = try await OpenIDFixture()
        let error = await #expect(throws: OAuthError.self) { try await fixture.signedIn { $0.register() } }
        #expect(error?.failureCode == "registration_not_supported")
        #expect(fixture.requests(to: "/authorize") == 0)
        await fixture.server.stop()
    }

    @Test(
        "A refused registration is final but for a server that fails or asks to wait, in the server's words",
        arguments: [
            (400, "invalid_client_metadata", FailureClass.definitive), (422, "invalid_request", .definitive),
            (400, "name_is_taken", .definitive), (403, nil, .definitive), (429, "slow", .transient),
            (503, "invalid_client_metadata", .transient), (500, nil, .transient),
        ] as [(Int, String?, FailureClass)])
    func refused(status: Int, error: String?, failureClass: FailureClass) async throws {
        let fixture = try await fixture()
        let body: JSONValue = error.map { ["error": .string($0), "error_description": "Not you, friend"] } ?? "no"
        fixture.server.http.fail(.answer(.json(body, status: status)), pathPrefix: "/register")
        let refusal = await #expect(throws: OAuthError.self) { try await fixture.signedIn { $0.register() } }
        #expect(refusal?.failureClass == failureClass)
        #expect(refusal?.message.contains("Not you, friend") == (error != nil), "\(refusal?.message ?? "")")
        if let error { #expect(refusal?.failureCode == error) }
        #expect(fixture.requests(to: "/authorize") == 0)
        await fixture.server.stop()
    }

    @Test("A page in place of a registration refuses nothing")
    func page() async throws {
        let fixture = try await fixture()
        fixture.server.http.fail(.answer(.html("Sign in", status: 403)), pathPrefix: "/register")
        let error = await #expect(throws: OAuthError.self) { try await fixture.signedIn { $0.register() } }
        #expect(error?.failureCode == "answer_error_page" && error?.failureClass == .transient)
        await fixture.server.stop()
    }

    @Test("A response without a method means the one that was asked for")
    func plainResponse() throws {
        let address = try #require(URL(string: OpenIDFixture.redirectURI))
        let endpoint = try #require(URL(string: "https://id.example.com/register"))
        let response = try #require(
            HTTPURLResponse(url: endpoint, statusCode: 201, httpVersion: nil, headerFields: nil))
        let body = Data(#"{"client_id": "a", "client_secret": "s"}"#.utf8)
        for method in [ClientAuthenticationMethod.none, .clientSecretPost, .clientSecretBasic] {
            var metadata = ClientMetadata(redirectURIs: [address])
            metadata.authenticationMethod = method
            let request = ClientRegistrationRequest(endpoint: endpoint, metadata: metadata)
            #expect(try request.client(from: body, response).authenticationMethod == method)
        }
    }

    @Test("A registration is read, changed and deleted")
    func management() async throws {
        let fixture = try await fixture()
        let transport = DefaultTransport.make()
        let address = try #require(URL(string: OpenIDFixture.redirectURI))
        let endpoint = fixture.server.url.appendingPathComponent("register")
        let client = try await ClientRegistrationRequest(
            endpoint: endpoint, metadata: ClientMetadata(redirectURIs: [address]),
            transportSecurity: .loopbackHTTPAllowed
        ).send(using: transport)
        func ask(_ action: ClientConfigurationRequest.Action, _ client: RegisteredClient) async throws
            -> RegisteredClient?
        {
            try await ClientConfigurationRequest(action, client, transportSecurity: .loopbackHTTPAllowed)
                .send(using: transport)
        }
        #expect(try await ask(.read, client)?.id == client.id)
        let moved = try #require(URL(string: "com.example.app:/moved"))
        let changed = try #require(try await ask(.update(ClientMetadata(redirectURIs: [address, moved])), client))
        #expect(changed.redirectURIs == [address.absoluteString, moved.absoluteString])
        // The change brought another token, and the former one is of no use.
        #expect(changed.registrationAccessToken != client.registrationAccessToken)
        await #expect(throws: OAuthError.self) { try await ask(.read, client) }
        #expect(try await ask(.delete, changed) == nil)
        await #expect(throws: OAuthError.self) { try await ask(.read, changed) }
        #expect(fixture.server.registeredClients == 0)
        await fixture.server.stop()
    }

    @Test("A client that has an identifier does not register, and a configuration says one or the other")
    func settings() throws {
        func chain(_ members: [String: JSONValue]) throws -> IdentityProviderChain {
            let settings: [String: JSONValue] = ["issuer": "https://id.example.com", "signIn": "device"]
            return try ProviderRegistry([OpenIDConnectPlugin.self]).makeChain(
                for: IdentityConfiguration(
                    providers: [
                        ProviderConfiguration(
                            name: "any", type: "openid-connect", settings: .object(settings.merging(members) { $1 }))
                    ]),
                environment: IdentityEnvironment(store: MemoryTokenStore()))
        }
        _ = try chain(["registration": [:]])
        _ = try chain(["registration": ["name": "Example", "metadataDocument": "https://app.example.com/client.json"]])
        for (members, keyPath) in [
            (["registration": [:], "clientID": "app"], "clientID"), ([:], "clientID"),
            (["registration": [:], "clientSecret": "s"], "clientSecret"),
            (["registration": ["metadataDocument": "http://app.example.com/c"]], "registration"),
            (["registration": ["nme": "Example"]], "registration.nme"),
        ] as [([String: JSONValue], String)] {
            let error = #expect(throws: ConfigurationError.self) { try chain(members) }
            #expect(error?.message.hasPrefix("providers[0].settings." + keyPath) == true, "\(error?.message ?? "")")
        }
    }
}
