import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import TestSupport
import Testing
import ThunderID

@Suite struct ClientRedirectTests {
    @Test("The browser's code becomes a session and a person")
    func signsIn() async throws {
        let fixture = try await ClientFixture()
        let user = try await fixture.signInByRedirect()
        #expect(user.sub == fixture.server.user.id)
        #expect(user.email == "ada@example.org" && user.displayName == "Ada Lovelace")
        #expect(user.claims?["given_name"]?.value as? String == "Ada")
        #expect(try await fixture.client.isSignedIn())
        #expect(try await fixture.client.getUser() == user)
        await fixture.server.stop()
    }

    @Test("The address carries what the protocol needs, each once")
    func address() async throws {
        let fixture = try await ClientFixture()
        let url = try fixture.client.buildSignInURL(
            options: SignInOptions(
                prompt: "login consent", loginHint: "ada", fidp: "google", maxAge: 60, acrValues: ["a", "b"],
                extra: ["ui_theme": "dark"]))
        let parameters = try CallbackURL(url)
        #expect(parameters["client_id"] == fixture.server.application.clientID)
        #expect(parameters["redirect_uri"] == fixture.server.application.redirectURIs.first)
        #expect(parameters["response_type"] == "code" && parameters["scope"] == "openid profile email")
        #expect(parameters["code_challenge_method"] == "S256" && parameters["code_challenge"]?.count == 43)
        #expect(parameters["state"]?.count == 43 && parameters["nonce"]?.count == 43)
        #expect(parameters["prompt"] == "login consent" && parameters["login_hint"] == "ada")
        #expect(parameters["fidp"] == "google" && parameters["ui_theme"] == "dark")
        #expect(parameters["max_age"] == "60" && parameters["acr_values"] == "a b")
        await fixture.server.stop()
    }

    @Test("A client identifier is needed")
    func incomplete() async throws {
        let fixture = try await ClientFixture {
            $0 = ThunderIDConfig(baseUrl: $0.baseUrl, afterSignInUrl: "app://callback", allowsLoopbackHTTP: true)
        }
        #expect(await iamError { try fixture.client.buildSignInURL() }?.code == .invalidConfiguration)
        await fixture.server.stop()
    }

    @Test("Without a redirect URI the server takes the one that is registered", arguments: [nil, ""])
    func unnamedRedirect(redirect: String?) async throws {
        let fixture = try await ClientFixture(configuration: .withOneRedirect) { $0.afterSignInUrl = redirect }
        let registered = try #require(fixture.server.application.redirectURIs.first.flatMap(URL.init(string:)))
        let page = try fixture.client.buildSignInURL()
        #expect(try CallbackURL(page)["redirect_uri"] == nil)
        let callback = try await fixture.visit(page)
        #expect(try CallbackURL(callback).returns(to: registered))
        #expect(try await fixture.client.handleRedirectCallback(url: callback).sub == fixture.server.user.id)
        #expect(try #require(fixture.grants("authorization_code").last).parameter("redirect_uri") == nil)
        // Another flow's response is none, wherever it arrives.
        let forged = try #require(URL(string: registered.absoluteString + "?code=stolen&state=forged"))
        #expect(await iamError { try await fixture.client.handleRedirectCallback(url: forged) }?.code == .invalidGrant)
        await fixture.server.stop()
    }

    @Test("Where several redirect URIs are registered, an unnamed one is refused with what to do")
    func ambiguousRedirect() async throws {
        let fixture = try await ClientFixture { $0.afterSignInUrl = nil }
        #expect(fixture.server.application.redirectURIs.count > 1)
        let error = await iamError { try await fixture.client.signUp() }
        #expect(error?.code == .invalidRedirectUri && error?.message.contains("Name one of them") == true)
        await fixture.server.stop()
    }

    @Test("Several sign-ins can be open, and each response is exchanged once", .guards("single use"))
    func several() async throws {
        let fixture = try await ClientFixture()
        let pages = try (0..<3).map { _ in try fixture.client.buildSignInURL() }
        for page in pages {
            let callback = try await fixture.visit(page)
            async let copy = fixture.client.handleRedirectCallback(url: callback)
            let user = try await fixture.client.handleRedirectCallback(url: callback)
            #expect(try await copy == user)
            fixture.clock.advance(by: .seconds(61))
            let error = await iamError { try await fixture.client.handleRedirectCallback(url: callback) }
            #expect(error?.code == .invalidGrant && error?.message.contains("over already") == true)
        }
        #expect(fixture.grants("authorization_code").count == 3)
        await fixture.server.stop()
    }

    @Test("Signing out refuses the responses to sign-ins that were started before")
    func signedOut() async throws {
        let fixture = try await ClientFixture()
        let callbacks = try await [
            fixture.visit(fixture.client.signInURL()), fixture.visit(fixture.client.signInURL(sessionId: "work")),
        ]
        try await fixture.client.signOut()
        let error = await iamError { try await fixture.client.handleRedirectCallback(url: callbacks[0]) }
        #expect(error?.code == .invalidGrant && error?.message.contains("signed out") == true)
        // That of another session goes on.
        _ = try await fixture.client.handleRedirectCallback(url: callbacks[1])
        #expect(try await fixture.client.isSignedIn(sessionId: "work"))
        await fixture.server.stop()
    }

    @Test("A sign-out during the exchange of a code lasts, and the tokens of that sign-in are revoked")
    func signedOutMeanwhile() async throws {
        let fixture = try await ClientFixture()
        let (client, gate) = (fixture.client, AnswerGate())
        let callback = try await fixture.visit(client.signInURL())
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/oauth2/token")
        let signIn = Task { try await client.handleRedirectCallback(url: callback) }
        await gate.waitForAnswer()
        try await client.signOut()
        gate.open()
        let error = await iamError { try await signIn.value }
        #expect(error?.code == .invalidGrant && error?.message.contains("signed out") == true)
        #expect(try await client.isSignedIn() == false)
        #expect(fixture.server.counters.familiesRevoked == 1)
        await fixture.server.stop()
    }

    @Test("An error without the state of a sign-in, or of another server, ends none until the person stops waiting")
    func unconfirmed() async throws {
        let fixture = try await ClientFixture()
        let client = try await fixture.restarted()
        // Started before the issuer is known.
        let callback = try await fixture.visit(client.buildSignInURL())
        let other = try await fixture.visit(client.buildSignInURL())
        let state = try #require(CallbackURL(callback)["state"])
        let address = try #require(callback.absoluteString.split(separator: "?").first)
        for (query, isUnconfirmed) in [
            ("error=access_denied", true), ("error=access_denied&state=\(state)&iss=https%3A%2F%2Fevil.example", false),
        ] {
            let url = try #require(URL(string: "\(address)?\(query)"))
            let error = await iamError { try await client.handleRedirectCallback(url: url) }
            #expect(error?.code == .invalidGrant && error?.isUnconfirmed == isUnconfirmed)
            #expect(error?.serverCode == (isUnconfirmed ? "access_denied" : nil))
        }
        #expect(try await client.handleRedirectCallback(url: callback).sub == fixture.server.user.id)
        try await client.stopRedirectSignIns()
        let error = await iamError { try await client.handleRedirectCallback(url: other) }
        #expect(error?.code == .invalidGrant && error?.isUnconfirmed == false)
        await fixture.server.stop()
    }

    @Test("While the server's keys cannot be fetched no code is sent, and the next copy of the callback signs in")
    func keysOutOfReach() async throws {
        let fixture = try await ClientFixture()
        let callback = try await fixture.visit(fixture.client.signInURL())
        fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/oauth2/jwks")
        let error = await iamError { try await fixture.client.handleRedirectCallback(url: callback) }
        #expect(error?.failureClass == .transient && fixture.grants("authorization_code").isEmpty)
        #expect(try await fixture.client.handleRedirectCallback(url: callback).sub == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test("A sign-in survives a restart of the app")
    func restart() async throws {
        let fixture = try await ClientFixture()
        let callback = try await fixture.visit(fixture.client.signInURL(sessionId: "work"))
        let client = try await fixture.restarted()
        #expect(try await client.handleRedirectCallback(url: callback, sessionId: "work").sub == fixture.server.user.id)
        #expect(try await client.isSignedIn(sessionId: "work"))
        #expect(try await client.isSignedIn() == false)
        await fixture.server.stop()
    }

    @Test("A sign-in that was started before anything was asked of the server is held to its issuer all the same")
    func beforeDiscovery() async throws {
        let fixture = try await ClientFixture()
        let client = try await fixture.restarted()
        let good = try client.buildSignInURL()
        let forged = try client.buildSignInURL()
        let callback = try await fixture.visit(forged)
        let other = callback.absoluteString.replacing(
            FormEncoding.encode(fixture.server.issuer), with: FormEncoding.encode("https://evil.example"))
        let error = await iamError { try await client.handleRedirectCallback(url: #require(URL(string: other))) }
        #expect(error?.code == .invalidGrant)
        #expect(fixture.grants("authorization_code").isEmpty)
        #expect(try await client.handleRedirectCallback(url: fixture.visit(good)).sub == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test(
        "What is not the response to a sign-in of this client is refused before the code is sent",
        .guards("redirect URI", "state", "implicit grant", "mix-up by issuer"),
        arguments: [
            "com.example.app://callback?code=c", "com.example.app://callback?code=c&state=forged&iss=ISSUER",
            "com.example.app://callback?state=STATE&iss=ISSUER", "com.example.app://evil?code=c&state=STATE&iss=ISSUER",
            "com.example.app://callback?code=c&state=STATE",
            "com.example.app://callback?code=c&state=STATE&iss=https%3A%2F%2Fevil.example",
            "com.example.app://callback?code=c&code=d&state=STATE&iss=ISSUER", "com.example.app://callback",
            "com.example.app://callback?access_token=t&state=STATE&iss=ISSUER",
        ])
    func forged(template: String) async throws {
        let fixture = try await ClientFixture()
        let state = try #require(CallbackURL(fixture.client.buildSignInURL())["state"])
        let text = template.replacing("STATE", with: state)
            .replacing("ISSUER", with: FormEncoding.encode(fixture.server.issuer))
        let error = await iamError {
            try await fixture.client.handleRedirectCallback(url: #require(URL(string: text)))
        }
        #expect(error?.code == .invalidGrant)
        #expect(fixture.wire.requests(to: "/oauth2/token").isEmpty)
        await fixture.server.stop()
    }

    @Test(
        "An error of the authorization has its code",
        arguments: [
            ("access_denied", IAMErrorCode.authenticationFailed), ("consent_required", .consentRequired),
            ("login_required", .sessionExpired), ("interaction_required", .mfaRequired),
            ("invalid_scope", .invalidConfiguration), ("server_error", .serverError),
            ("temporarily_unavailable", .serverError),
        ])
    func refused(error: String, code: IAMErrorCode) async throws {
        let fixture = try await ClientFixture()
        let state = try #require(CallbackURL(fixture.client.buildSignInURL())["state"])
        let issuer = FormEncoding.encode(fixture.server.issuer)
        let url = try #require(URL(string: "com.example.app://callback?error=\(error)&state=\(state)&iss=\(issuer)"))
        #expect(await iamError { try await fixture.client.handleRedirectCallback(url: url) }?.code == code)
        await fixture.server.stop()
    }

    @Test("An address with what the server says when it need not ask")
    func promptNone() async throws {
        let fixture = try await ClientFixture()
        let page = try fixture.client.buildSignInURL(options: SignInOptions(prompt: "none"))
        let callback = try await fixture.visit(page)
        let error = await iamError { try await fixture.client.handleRedirectCallback(url: callback) }
        #expect(error?.code == .sessionExpired && error?.serverCode == "login_required")
        await fixture.server.stop()
    }

    @Test("Requests are pushed where the application wants it, and the synchronous method says so")
    func pushed() async throws {
        let fixture = try await ClientFixture { $0.pushesAuthorizationRequests = true }
        #expect(await iamError { try fixture.client.buildSignInURL() }?.code == .invalidConfiguration)
        let page = try await fixture.client.signInURL()
        let names = try CallbackURL(page).parameters.map(\.name)
        #expect(Set(names) == ["client_id", "request_uri"])
        #expect(try await fixture.client.handleRedirectCallback(url: fixture.visit(page)).sub == fixture.server.user.id)
        #expect(fixture.wire.requests(to: "/oauth2/par").count == 1)
        await fixture.server.stop()
    }

    @Test("An issuer other than the base URL is the server's right", arguments: ["https://id.example.com", "urn:x/"])
    func issuer(issuer: String) async throws {
        let fixture = try await ClientFixture(configuration: .init(issuer: issuer))
        #expect(try await fixture.signInByRedirect().sub == fixture.server.user.id)
        await fixture.server.stop()
    }
}
