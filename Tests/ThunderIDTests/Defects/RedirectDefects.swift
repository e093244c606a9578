import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import TestSupport
import Testing
import ThunderID

/// What the official client does wrong in a redirect sign-in, and this one does right.
@Suite struct RedirectDefects {
    /// The error that a changed callback ends in.
    private func failure(
        _ fixture: ClientFixture, changing change: (URL) throws -> String
    ) async throws -> IAMError? {
        let callback = try await fixture.visit(fixture.client.buildSignInURL())
        let changed = try #require(URL(string: change(callback)))
        return await iamError { try await fixture.client.handleRedirectCallback(url: changed) }
    }

    @Test("Defect 4: the request has a state, and a callback with another one is refused")
    func state() async throws {
        let fixture = try await ClientFixture()
        let states = try (0..<2).map { _ in try CallbackURL(fixture.client.buildSignInURL())["state"] }
        #expect(states[0] != nil && states[0] != states[1])
        let error = try await failure(fixture) { callback in
            callback.absoluteString.replacing(try #require(CallbackURL(callback)["state"]), with: "forged")
        }
        #expect(error?.code == .invalidGrant)
        #expect(fixture.wire.requests(to: "/oauth2/token").isEmpty)
        await fixture.server.stop()
    }

    @Test("Defect 5: the request has a nonce, and an ID token without it is refused", .guards("nonce"))
    func nonce() async throws {
        let fixture = try await ClientFixture()
        for isReplaced in [true, false] {
            let page = try fixture.client.buildSignInURL()
            let nonce = try #require(CallbackURL(page)["nonce"])
            let text = page.absoluteString.replacing(
                "&nonce=\(nonce)", with: isReplaced ? "&nonce=another-nonce" : "")
            let callback = try await fixture.visit(#require(URL(string: text)))
            let error = await iamError { try await fixture.client.handleRedirectCallback(url: callback) }
            #expect(error?.code == .invalidGrant)
        }
        #expect(fixture.grants("authorization_code").map(\.status) == [200, 200])
        #expect(try await fixture.client.isSignedIn() == false)
        await fixture.server.stop()
    }

    @Test("Defect 6: a callback of another issuer, or of none, is refused before its code is sent")
    func issuer() async throws {
        let fixture = try await ClientFixture()
        let issuer = FormEncoding.encode(fixture.server.issuer)
        let other = try await failure(fixture) {
            $0.absoluteString.replacing(issuer, with: "https%3A%2F%2Fevil.example")
        }
        let none = try await failure(fixture) { $0.absoluteString.replacing("iss=\(issuer)", with: "x=y") }
        #expect(other?.code == .invalidGrant && none?.code == .invalidGrant)
        #expect(fixture.wire.requests(to: "/oauth2/token").isEmpty)
        await fixture.server.stop()
    }

    @Test("Defect 7: an error in the callback is thrown as that error")
    func error() async throws {
        let fixture = try await ClientFixture()
        let error = try await failure(fixture) { callback in
            let parameters = try CallbackURL(callback)
            return "com.example.app://callback?error=access_denied&error_description=No&state="
                + "\(try #require(parameters["state"]))&iss=\(FormEncoding.encode(fixture.server.issuer))"
        }
        #expect(error?.code == .authenticationFailed && error?.serverCode == "access_denied")
        await fixture.server.stop()
    }

    @Test(
        "Defect 34: each sign-in has a verifier of its own, and without random bytes none is started",
        .guards("fresh values", "code interception"))
    func verifiers() async throws {
        let fixture = try await ClientFixture()
        let first = try fixture.client.buildSignInURL()
        let second = try fixture.client.buildSignInURL()
        #expect(try CallbackURL(first)["code_challenge"] != CallbackURL(second)["code_challenge"])
        #expect(
            try await fixture.client.handleRedirectCallback(url: fixture.visit(first)).sub == fixture.server.user.id)
        #expect(
            try await fixture.client.handleRedirectCallback(url: fixture.visit(second)).sub == fixture.server.user.id)
        let broken = ThunderIDClient(
            environment: IdentityEnvironment(store: MemoryTokenStore(), random: RandomSource { _ in [] }))
        try await broken.initialize(config: fixture.config())
        #expect(await iamError { try broken.buildSignInURL() }?.failureClass == .transient)
        await fixture.server.stop()
    }

    @Test(
        "Defect 35: an empty redirect URI is not sent, and no option overrides or repeats a parameter of the protocol",
        .guards("PKCE downgrade"))
    func overrides() async throws {
        let fixture = try await ClientFixture()
        for name in ["state", "nonce", "redirect_uri", "code_challenge", "client_id", "scope", "request_uri"] {
            let options = SignInOptions(extra: [name: "x"])
            #expect(
                await iamError { try fixture.client.buildSignInURL(options: options) }?.code == .invalidConfiguration)
            let client = try await fixture.restarted { $0.signInOptions = [name: "x"] }
            #expect(await iamError { try client.buildSignInURL() }?.code == .invalidConfiguration)
        }
        let unset = try await fixture.restarted { $0.afterSignInUrl = "" }
        #expect(try CallbackURL(unset.buildSignInURL())["redirect_uri"] == nil)
        let names = try CallbackURL(fixture.client.buildSignInURL()).parameters.map(\.name)
        #expect(Set(names).count == names.count)
        await fixture.server.stop()
    }

    @Test("Defect 36: the hints that the server does not look at are sent once each, and do no harm")
    func hints() async throws {
        let fixture = try await ClientFixture()
        let page = try fixture.client.buildSignInURL(options: SignInOptions(loginHint: "ada", fidp: "google"))
        #expect(try CallbackURL(page).parameters.filter { ["login_hint", "fidp"].contains($0.name) }.count == 2)
        #expect(try await fixture.client.handleRedirectCallback(url: fixture.visit(page)).sub == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test("Defect 43: every endpoint comes from discovery")
    func discovery() async throws {
        let fixture = try await ClientFixture()
        let elsewhere = try await LocalHTTPServer.start { request in
            var document: [String: JSONValue] = ["issuer": .string("https://id.example.com")]
            for name in ["authorization_endpoint", "token_endpoint", "jwks_uri", "revocation_endpoint"] {
                document[name] = .string(fixture.server.url.absoluteString + "/behind/a/prefix/" + name)
            }
            return request.path.hasSuffix("openid-configuration") ? .json(.object(document)) : .text("", status: 404)
        }
        let client = ThunderIDClient(environment: IdentityEnvironment(store: MemoryTokenStore()))
        try await client.initialize(
            config: fixture.config {
                $0 = ThunderIDConfig(
                    baseUrl: elsewhere.url.absoluteString + "/tenant", clientId: $0.clientId,
                    afterSignInUrl: $0.afterSignInUrl,
                    allowsLoopbackHTTP: true)
            })
        #expect(try await client.signInURL().path == "/behind/a/prefix/authorization_endpoint")
        #expect(try client.buildSignInURL().path == "/behind/a/prefix/authorization_endpoint")
        await elsewhere.stop()
        await fixture.server.stop()
    }

    @Test("Defect 44: requests are pushed, a resource, a step-up and an age are asked for")
    func features() async throws {
        let fixture = try await ClientFixture { $0.pushesAuthorizationRequests = true }
        let page = try await fixture.client.signInURL()
        #expect(try CallbackURL(page)["request_uri"] != nil)
        let plain = try await fixture.restarted()
        let options = SignInOptions(maxAge: 0, acrValues: ["AAL2"], resource: "https://api.example.com")
        let parameters = try CallbackURL(plain.buildSignInURL(options: options))
        #expect(parameters["acr_values"] == "AAL2" && parameters["max_age"] == "0")
        #expect(parameters["resource"] == "https://api.example.com")
        await fixture.server.stop()
    }
}
