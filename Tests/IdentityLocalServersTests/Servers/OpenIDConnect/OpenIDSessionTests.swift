import Foundation
import IdentityKit
import Testing

@testable import IdentityTesting
@testable import IdentityLocalServers

@Suite("OpenID Connect server: session, consent and sign-out", .stopsServers)
struct OpenIDSessionTests {
    let clock = ManualClock()
    let client: PlainOpenIDClient
    var server: LocalOpenIDConnectServer { client.server }

    init() async throws { client = try await PlainOpenIDClient.start(clock) }

    @Test("A second request needs no password, and prompt none succeeds (OpenID Connect Core 3.1.2.1)")
    func singleSignOn() async throws {
        _ = try await client.code()
        #expect(try await client.callback(["prompt": "none"]).parameter("code") != nil)
        #expect(server.counters.signIns == 1)
    }

    @Test("prompt login and a max_age that has passed ask for the password again")
    func reauthentication() async throws {
        _ = try await client.code()
        _ = try await client.code(["prompt": "login"])
        #expect(server.counters.signIns == 2)
        clock.advance(by: .seconds(61))
        #expect(try await client.callback(["max_age": "60", "prompt": "none"]).parameter("error") == "login_required")
        _ = try await client.code(["max_age": "60"])
        #expect(server.counters.signIns == 3)
        _ = try await client.code(["max_age": "60"])
        #expect(server.counters.signIns == 3)
    }

    @Test("A session ends by itself")
    func oldSession() async throws {
        _ = try await client.code()
        clock.advance(by: server.configuration.sessionLifetime)
        #expect(try await client.callback(["prompt": "none"]).parameter("error") == "login_required")
    }

    @Test("More scopes than agreed to need consent again (OpenID Connect Core 3.1.2.4)")
    func incrementalConsent() async throws {
        _ = try await client.code()
        let more = ["scope": "openid profile email read"]
        #expect(
            try await client.callback(["prompt": "none", "scope": more["scope"]]).parameter("error")
                == "consent_required")
        #expect(try await client.tokens(["scope": more["scope"]])["scope"] == more["scope"])
        #expect(try await client.callback(["prompt": "none", "scope": more["scope"]]).parameter("code") != nil)
    }

    @Test("login_hint is filled in, whatever it contains")
    func loginHint() async throws {
        let page = try await client.get(
            "/authorize?" + (client.authorizationURL(["login_hint": #""><script>"#]).query ?? ""))
        #expect(page.text.contains("value=\"&quot;&gt;&lt;script&gt;\""))
        #expect(!page.text.contains("<script>"))
    }

    @Test("A sign-out ends the session and leads back (RP-Initiated Logout 1.0 sections 2 and 3)")
    func signOut() async throws {
        let token = try await client.tokens()["id_token"] ?? ""
        clock.advance(by: .seconds(7200))
        let landing = try await client.login.visit(
            endSession([
                "id_token_hint": token, "post_logout_redirect_uri": "http://127.0.0.1:8123/signed-out", "state": "a b",
            ]))
        #expect(landing.url.absoluteString == "http://127.0.0.1:8123/signed-out?state=a+b")
        #expect(try await client.callback(["prompt": "none"]).parameter("error") == "login_required")
        #expect(server.counters.signOuts == 1)
    }

    @Test("A sign-out leads to another port only for clients whose loopback addresses match with any port")
    func exactPort() async throws {
        let clients = ["any", "exact"].map { id in
            LocalOpenIDConnectServer.Client(id: id) { $0.takesAnyLoopbackPort = id == "any" }
        }
        let strict = try await LocalOpenIDConnectServer.start(
            configuration: LocalOpenIDConnectServer.Configuration { $0.clients = clients })
        for (client, status) in zip(clients, [303, 400]) {
            let query = LocalRequest.encodeForm([
                ("client_id", client.id), ("post_logout_redirect_uri", "http://127.0.0.1:8123/signed-out"),
            ])
            #expect(try await FormVisitor(strict.url).open("/end-session?\(query)").status == status, "\(client.id)")
        }
        await strict.stop()
    }

    @Test("A sign-out takes its parameters as a form of another site, too (RP-Initiated Logout 1.0 section 2)")
    func postedSignOut() async throws {
        let token = try await client.tokens()["id_token"] ?? ""
        let out = try await FormVisitor(server.url).post(
            "/end-session",
            [
                ("id_token_hint", token), ("logout_hint", "ada"), ("client_id", "swift-app"),
                ("post_logout_redirect_uri", "http://127.0.0.1:8123/signed-out"), ("state", "s"),
            ], headers: ["Origin": "null", "Sec-Fetch-Site": "cross-site"])
        #expect(out.url.absoluteString == "http://127.0.0.1:8123/signed-out?state=s")
        #expect(server.counters.signOuts == 1)
    }

    @Test(
        "A sign-out leads nowhere that is not registered (RP-Initiated Logout 1.0 section 3)",
        arguments: [
            ["client_id": "swift-app", "post_logout_redirect_uri": "https://elsewhere.example/"],
            ["post_logout_redirect_uri": "http://127.0.0.1:8123/signed-out"],
            ["id_token_hint": "a.b.c", "post_logout_redirect_uri": "http://127.0.0.1:8123/signed-out"],
        ])
    func refusedSignOut(parameters: [String: String]) async throws {
        _ = try await client.code()
        #expect(try await client.login.visit(endSession(parameters)).page != nil)
        #expect(try await client.callback(["prompt": "none"]).parameter("code") != nil)
    }

    @Test(
        "Without an ID token of theirs, a person is asked before they are signed out (RP-Initiated Logout 1.0 section 2)"
    )
    func signOutQuestion() async throws {
        let person = FormVisitor(server.url)
        let login = try await person.open(client.authorizationURL([:]))
        _ = try await person.submit(login, client.credentials)
        let address = endSession([
            "client_id": "swift-app", "post_logout_redirect_uri": "http://127.0.0.1:8123/signed-out", "state": "s",
            "logout_hint": "ada",
        ])
        let question = try await person.open(address)
        #expect(question.title == "Sign out?" && question.html.contains("<strong>Ada Lovelace</strong>"))
        #expect(question.value("logout_hint") == "ada")
        #expect(question.header("Content-Security-Policy")?.hasSuffix("'self' http://127.0.0.1:8123") == true)
        #expect(try await person.submit(question, pressing: "no").title == "Still signed in")
        let forged = try await person.submit(question, headers: ["Sec-Fetch-Site": "cross-site"])
        #expect(forged.title == "Sign out?" && server.counters.signOuts == 0)
        let out = try await person.submit(question)
        #expect(out.url.absoluteString == "http://127.0.0.1:8123/signed-out?state=s")
        #expect(out.header("Cache-Control") == "no-store" && server.counters.signOuts == 1)
        #expect(try await person.open(address).url == out.url, "no session is left")
    }

    @Test("An ID token of another user signs no one out without a question (RP-Initiated Logout 1.0 section 2)")
    func signOutOfSomebodyElse() async throws {
        let grace = LocalOpenIDConnectServer.User(id: "2", username: "grace", password: "Nanosecond-1")
        let (client, person) = try await openIDPages { $0.users.append(grace) }
        let token = try await client.tokens()["id_token"] ?? ""
        let login = try await person.open(client.authorizationURL([:]))
        _ = try await person.submit(login, ["username": "grace", "password": "Nanosecond-1"])
        let question = try await person.open("/end-session?id_token_hint=\(token)")
        #expect(question.title == "Sign out?" && question.html.contains("· grace</span>"))
        #expect(server.counters.signOuts == 0)
    }

    private func endSession(_ parameters: [String: String]) -> URL {
        var parts = URLComponents(url: client.address("/end-session"), resolvingAgainstBaseURL: false)
        parts?.queryItems = parameters.map { URLQueryItem(name: $0.key, value: $0.value) }
        return parts?.url ?? server.url
    }
}
