import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import Testing

/// What the settings change in the requests.
@Suite struct RequestSettingsTests {
    private func page(_ configure: (inout OpenIDConnectSettings) -> Void) async throws -> CallbackURL {
        let fixture = try await OpenIDFixture()
        let page = try CallbackURL(await fixture.abandonedSignIn(configure))
        await fixture.server.stop()
        return page
    }

    @Test("To stay connected, consent is asked for (OpenID Connect Core section 11)")
    func consent() async throws {
        #expect(try await page { _ in }["prompt"] == "consent")
        #expect(try await page { $0.scopes = ["openid"] }["prompt"] == nil)
        #expect(try await page { $0.prompt = [] }["prompt"] == nil)
        #expect(try await page { $0.prompt = [.login, .consent] }["prompt"] == "login consent")
        let plain = try await page { settings in
            settings.scopes = ["openid"]
            settings.prompt = [.selectAccount]
        }
        #expect(plain["prompt"] == "select_account")
    }

    @Test("Without consent, a strict server gives nothing that outlives the access token")
    func noConsent() async throws {
        let fixture = try await OpenIDFixture()
        _ = try await fixture.signedIn { $0.prompt = [] }
        let without = try await fixture.provider().sessions.storedCredential(of: fixture.account)
        #expect(without?.refreshToken == nil)
        #expect(without?.scopes.contains("offline_access") == false)
        _ = try await fixture.signedIn()
        let with = try await fixture.provider().sessions.storedCredential(of: fixture.account)
        #expect(with?.refreshToken != nil)
        #expect(with?.scopes.contains("offline_access") == true)
        await fixture.server.stop()
    }

    @Test("Extra parameters go with the authorization request and with every token request")
    func extraParameters() async throws {
        let audience = FormField("audience", "https://api.example")
        #expect(
            try await page { $0.authorizationParameters = [audience.name: audience.value] }[audience.name]
                == audience.value)

        let fixture = try await OpenIDFixture()
        let recorder = FormRecorder()
        let provider = fixture.provider(transport: recorder) { $0.tokenParameters = [audience.name: audience.value] }
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        #expect(await recorder.fields(to: "/token").contains(audience))
        #expect(await recorder.fields(to: "/token").contains(FormField("grant_type", "authorization_code")))
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(await recorder.fields(to: "/token").contains(audience))
        #expect(await recorder.fields(to: "/token").contains(FormField("grant_type", "refresh_token")))
        await fixture.server.stop()
    }

    @Test("One of the protocol's own, set in code, is refused by name before anything is sent")
    func reserved() async throws {
        let fixture = try await OpenIDFixture()
        await #expect(throws: OAuthError.invalidSetting(.reservedParameter("state"))) {
            try await fixture.signedIn { $0.authorizationParameters = ["state": "x"] }
        }
        await #expect(throws: OAuthError.invalidSetting(.reservedParameter("code_verifier"))) {
            try await fixture.signedIn { $0.tokenParameters = ["code_verifier": "x"] }
        }
        #expect(fixture.requests(to: "/token") == 0)
        await fixture.server.stop()
    }

    @Test("A request is pushed where that is wanted (RFC 9126)")
    func pushed() async throws {
        let fixture = try await OpenIDFixture { $0.announcesPushedRequests = true }
        let page = try CallbackURL(await fixture.abandonedSignIn { $0.pushesAuthorizationRequests = true })
        #expect(page["request_uri"] != nil)
        #expect(page["code_challenge"] == nil)
        #expect(fixture.requests(to: "/par") == 1)
        _ = try await fixture.signedIn { $0.pushesAuthorizationRequests = true }
        #expect(fixture.requests(to: "/par") == 2)
        _ = try await fixture.provider().accessToken(for: fixture.account, scopes: ["openid"])
        await fixture.server.stop()
    }

    @Test("A pushed request that the server does not take leaves no sign-in waiting")
    func refusedPush() async throws {
        let fixture = try await OpenIDFixture {
            $0.scopes = ["openid"]
            $0.announcesPushedRequests = true
        }
        let error = await #expect(throws: OAuthError.self) {
            try await fixture.signedIn { $0.pushesAuthorizationRequests = true }
        }
        #expect(error?.failureCode == "invalid_scope")
        #expect(error?.message.contains("pushesAuthorizationRequests") == true)
        #expect(try await fixture.pendingFlows == 0)
        await fixture.server.stop()
    }

    @Test("Without a word a request is pushed where the server announces the endpoint, unless that is forbidden")
    func pushedWithoutAWord() async throws {
        for (isAnnounced, setting, count) in [
            (true, nil, 1), (false, nil, 0), (true, false, 0), (false, false, 0),
        ] as [(Bool, Bool?, Int)] {
            let fixture = try await OpenIDFixture { $0.announcesPushedRequests = isAnnounced }
            _ = try await fixture.signedIn { $0.pushesAuthorizationRequests = setting }
            #expect(fixture.requests(to: "/par") == count)
            await fixture.server.stop()
        }
    }

    @Test(
        "A refused push is followed by one plain request, unless pushing is required",
        arguments: [
            LocalResponse.json(["error": "invalid_client"], status: 401), LocalResponse(status: 404),
            .html("Not found", status: 404), .text("busy", status: 503), .json(["expires_in": 60], status: 201),
        ])
    func plainAfterRefusal(refusal: LocalResponse) async throws {
        let willing = try await OpenIDFixture { $0.announcesPushedRequests = true }
        willing.server.http.fail(.answer(refusal), pathPrefix: "/par", times: 2)
        let page = try CallbackURL(await willing.abandonedSignIn())
        #expect(page["request_uri"] == nil && page["code_challenge"] != nil)
        #expect(willing.requests(to: "/par") == 1)
        await #expect(throws: OAuthError.self) {
            try await willing.signedIn { $0.pushesAuthorizationRequests = true }
        }
        await willing.server.stop()

        let strict = try await OpenIDFixture { $0.requiresPushedRequests = true }
        for setting in [nil, false, true] as [Bool?] {
            strict.server.http.fail(.answer(refusal), pathPrefix: "/par")
            await #expect(throws: OAuthError.self) {
                try await strict.signedIn { $0.pushesAuthorizationRequests = setting }
            }
        }
        #expect(strict.requests(to: "/authorize") == 0)
        await strict.server.stop()
    }

    @Test("A push that gets no response starts no sign-in")
    func silentPush() async throws {
        let fixture = try await OpenIDFixture { $0.announcesPushedRequests = true }
        fixture.server.http.fail(.dropAnswer, pathPrefix: "/par", times: 4)
        let error = await #expect(throws: (any Error).self) { try await fixture.signedIn() }
        #expect(error?.identityFailureClass == .transient)
        #expect(fixture.requests(to: "/authorize") == 0)
        await fixture.server.stop()
    }

    @Test("An endpoint that the server announces wrongly is replaced, and only that one")
    func endpoints() async throws {
        let fixture = try await OpenIDFixture()
        fixture.server.misbehave(.missingTokenEndpoint)
        await #expect(throws: OAuthError.invalidMetadata(.missingEndpoint(member: "token_endpoint"))) {
            try await fixture.signedIn()
        }
        let provider = try await fixture.signedIn { settings in
            settings.endpoints = [.token: fixture.server.url.appendingPathComponent("token")]
        }
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test("With the endpoints of a sign-in no metadata is asked for, and the ID token is checked as ever")
    func knownEndpoints() async throws {
        let fixture = try await OpenIDFixture()
        // As at Apple on a day in June 2025: the metadata names another issuer, and the tokens do not.
        fixture.server.misbehave(.wrongDiscoveryIssuer)
        func know(_ settings: inout OpenIDConnectSettings) {
            for (endpoint, path) in [
                (ServerEndpoint.authorization, "authorize"), (.token, "token"), (.jwks, "jwks"),
            ] {
                settings.endpoints[endpoint] = fixture.server.url.appendingPathComponent(path)
            }
        }
        let error = await #expect(throws: OAuthError.self) { try await fixture.signedIn() }
        #expect(error?.failureCode == "metadata_issuer_mismatch")
        let asked = fixture.requests(to: "/.well-known/openid-configuration")
        let provider = try await fixture.signedIn(know)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: ["openid"])
        #expect(fixture.server.counters.refreshes == 1)
        #expect(fixture.requests(to: "/.well-known/openid-configuration") == asked)
        for (rule, code) in [
            (LocalOpenIDConnectServer.Misbehaviour.wrongIssuer, "id_token_iss_mismatch"),
            (.wrongNonce, "id_token_nonce_mismatch"), (.badSignature, "jwt_invalid_signature"),
        ] {
            fixture.server.behave()
            fixture.server.misbehave(rule)
            let error = await #expect(throws: OAuthError.self) { try await fixture.signedIn(know) }
            #expect(error?.failureCode == code)
        }
        await fixture.server.stop()
    }

    @Test("A scope that the server grants under its own name is there for who asks by the standard one")
    func aliases() async throws {
        let fixture = try await OpenIDFixture()
        fixture.server.vary(.aliasedScope)
        let provider = try await fixture.signedIn()
        _ = try await provider.accessToken(for: fixture.account, scopes: ["email", "profile"])
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: ["email", "profile"])
        await fixture.server.stop()
    }

    @Test("A server with a path that has the RFC 8414 document alone, at either of its places, is found")
    func metadataPlaces() async throws {
        for variation in [LocalOpenIDConnectServer.Variation.onlyOAuthMetadata, .onlyOAuthMetadataBelowIssuer] {
            let fixture = try await OpenIDFixture { $0.path = "/realms/one" }
            fixture.server.vary(variation)
            let provider = try await fixture.signedIn()
            _ = try await provider.accessToken(for: fixture.account, scopes: ["openid"])
            await fixture.server.stop()
        }
    }

    @Test("What the server says about a refusal is quoted")
    func quotation() async throws {
        let fixture = try await OpenIDFixture { $0.scopes = ["openid"] }
        let error = await #expect(throws: OAuthError.self) { try await fixture.signedIn() }
        #expect(error?.failureCode == "invalid_scope")
        #expect(error?.message.hasSuffix("The server says: \"A scope is not known\".") == true)
        await fixture.server.stop()
    }
}
