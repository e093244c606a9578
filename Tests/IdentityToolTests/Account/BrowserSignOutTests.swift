import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The browser's session at the server, after `identity logout`.
@Suite(.endsInTime) struct BrowserSignOutTests {
    @Test("At a terminal the browser's session ends too, for the person, and no address has the ID token")
    func ended() async throws {
        try await withPerson { fixture, person in
            let server = fixture.openIDConnect
            let (call, page) = try await startLogout(fixture)
            #expect(call.text.contains("Signed out ") && !call.text.contains("any/"), "\(call.text)")
            #expect(try await fixture.run("accounts", "--json").output == "[\n\n]\n", "nothing waits for the page")
            let sent = try await post(page, fixture)
            let token = try #require(sent.fields["id_token_hint"])
            #expect(token.split(separator: ".").count == 3)
            #expect(sent.fields["client_id"] == server.client.id && sent.fields["logout_hint"] == server.user.username)
            #expect(sent.next?.query == "state=\(sent.fields["state"] ?? "missing")")
            #expect(try await visit(URLRequest(url: #require(sent.next))).statusCode == 200)
            let (status, shown) = await end(of: call)
            #expect(status == 0)
            #expect(shown.contains("The browser has come back from the sign-out at 127.0.0.1."), "\(shown)")
            for text in [shown, page.absoluteString, sent.next?.absoluteString ?? ""] {
                #expect(!text.contains(token))
            }
            #expect(server.counters.signOuts == 1)
            try await signIn(person, fixture)
            #expect(server.counters.signIns == 2, "the password is asked for again")
        }
    }

    @Test("A browser that comes back still signed in is not said to be signed out")
    func stays() async throws {
        try await withPerson { fixture, _ in
            let (call, page) = try await startLogout(fixture)
            let fields = try await form(of: page, fixture).fields
            let (address, state) = (fields["post_logout_redirect_uri"] ?? "", fields["state"] ?? "")
            let next = try #require(URL(string: "\(address)?state=\(state)"))
            #expect(try await visit(URLRequest(url: next)).statusCode == 200)
            let (status, shown) = await end(of: call)
            #expect(status == 0)
            #expect(shown.contains("The browser has come back") && !shown.contains("has ended"), "\(shown)")
            #expect(fixture.openIDConnect.counters.signOuts == 0)
        }
    }

    @Test("With --no-browser the browser's session remains, which is said, at a terminal and without one")
    func noBrowser() async throws {
        try await withPerson { fixture, person in
            let line = "The browser's session at 127.0.0.1 remains.\n"
            let result = try await fixture.run("logout", "--no-browser")
            #expect(result.status == 0 && result.errors.hasSuffix(line), "\(result)")
            try await signIn(person, fixture)
            #expect(fixture.openIDConnect.counters.signIns == 1, "the browser is signed in")
            let again = try await fixture.call("logout", "--no-browser", "--json").finish()
            let document = try JSONValue(parsing: Data(again.output.utf8))
            #expect(document["signedOut"] == .array([.string("any/\(fixture.openIDConnect.user.id)")]))
            #expect(again.errors.contains(line) && !again.errors.contains("http://"), "\(again.errors)")
            #expect(!fixture.openIDConnect.http.log.contains { $0.path == "/end-session" })
        }
    }

    @Test("Without a terminal, or without the setting, nothing is opened or said of the browser")
    func silent() async throws {
        try await withPerson { fixture, _ in
            let result = try await fixture.run("logout")
            #expect(result.status == 0 && result.errors.hasPrefix("Signed out"), "\(result)")
            #expect(!result.errors.contains("browser"))
        }
        try await withPerson(returningTo: nil) { fixture, person in
            let (status, shown) = await end(of: try fixture.call("logout"))
            #expect(status == 0 && shown.contains("Signed out") && !shown.contains("browser"), "\(shown)")
            try await signIn(person, fixture)
            let result = try await fixture.run("logout", "--no-browser")
            #expect(result.status == 0 && !result.errors.contains("browser"), "\(result)")
        }
    }

    @Test("A page that is closed, and an address that does not lead back here, are a sentence and no failure")
    func closed() async throws {
        for (address, sentence) in [
            ("http://127.0.0.1/signed-out", "may remain: the browser has not returned within 1 second."),
            ("com.example.app:/signed-out", "remains, because postLogoutRedirectURI does not lead to this machine."),
        ] {
            try await withPerson(returningTo: address) { fixture, _ in
                let (status, shown) = await end(of: try fixture.call("logout", "--timeout", "1"))
                let line = "identity: The browser's session at 127.0.0.1 \(sentence)"
                #expect(status == 0 && shown.contains(line), "\(shown)")
                #expect(try await fixture.run("accounts", "--json").output == "[\n\n]\n")
            }
        }
    }

    @Test("A server that refuses the sign-out leads nowhere, and Ctrl-C ends the wait with a sentence")
    func refused() async throws {
        try await withPerson(returningTo: "http://127.0.0.1/not-registered") { fixture, _ in
            let (run, terminal) = try fixture.start("logout")
            let sent = try await post(terminal.page("http://"), fixture)
            #expect(sent.status == 400 && sent.next == nil)
            run.interrupt()
            #expect(await run.finish().status == 130)
            #expect(terminal.text.contains("The browser's session at 127.0.0.1 may remain."), "\(terminal.text)")
            #expect(try await fixture.run("accounts", "--json").output == "[\n\n]\n")
        }
    }

    @Test("A return with another state does not end the wait", .guards("state"))
    func wrongState() async throws {
        try await withPerson { fixture, _ in
            let (call, page) = try await startLogout(fixture)
            let next = try #require(try await post(page, fixture).next)
            let address = next.absoluteString.prefix { $0 != "?" }
            for query in ["?state=wrong", ""] {
                let forged = try #require(URL(string: address + query))
                #expect(try await visit(URLRequest(url: forged)).statusCode == 400)
            }
            #expect(try await visit(URLRequest(url: next)).statusCode == 200)
            #expect(await call.finish().status == 0, "\(call.text)")
        }
    }

    @Test("Several pages are shown one after the other, also at one port")
    func several() async throws {
        let address = "http://127.0.0.1:\(FreePort.find())/signed-out"
        try await withPerson(returningTo: address, at: ["any", "other"]) { fixture, _ in
            let (call, first) = try await startLogout(fixture, "--all")
            var page = first
            for isLast in [false, true] {
                #expect(page.absoluteString.hasPrefix(address.dropLast("signed-out".count)))
                let next = try #require(try await post(page, fixture).next)
                #expect(try await visit(URLRequest(url: next)).statusCode == 200)
                if !isLast { page = try await call.page("http://") }
            }
            #expect(page != first && fixture.openIDConnect.counters.signOuts == 2)
            #expect(await call.finish().status == 0, "\(call.text)")
        }
    }

    // MARK: The person

    /// Signs a person in by the browser, at providers that are one server.
    /// - Parameter address: where the browser returns after a sign-out; `nil` where none is set.
    private func withPerson(
        returningTo address: String? = "http://127.0.0.1/signed-out", at providers: [String] = ["any"],
        _ test: (ToolFixture, ScriptedLogin) async throws -> Void
    ) async throws {
        try await withTool { fixture in
            let server = fixture.openIDConnect
            var settings: [String: JSONValue] = [
                "issuer": .string(server.issuer), "allowsLoopbackHTTP": true, "clientID": .string(server.client.id),
                "redirectURI": "http://127.0.0.1/callback",
            ]
            if let address { settings["postLogoutRedirectURI"] = .string(address) }
            let configured = providers.map { [settings] in
                ProviderConfiguration(
                    name: $0, type: "openid-connect", settings: .object(settings),
                    silentDeadline: SilentDeadline(.seconds(3600)))
            }
            try JSONEncoder().encode(IdentityConfiguration(store: fixture.configuration.store, providers: configured))
                .write(to: fixture.configurationFile)
            let person = ScriptedLogin(username: server.user.username, password: server.user.password)
            for provider in providers { try await signIn(person, fixture, at: provider) }
            try await test(fixture, person)
        }
    }

    private func signIn(_ person: ScriptedLogin, _ fixture: ToolFixture, at provider: String = "any") async throws {
        let (call, address) = try await fixture.startBrowserLogin("--provider", provider)
        #expect(try await visit(URLRequest(url: person.signIn(at: address))).statusCode == 200)
        #expect(await call.finish().output == "\(provider)/\(fixture.openIDConnect.user.id)\n")
    }

    /// Starts a sign-out as if at a terminal, and waits for the page that it shows.
    private func startLogout(
        _ fixture: ToolFixture, _ arguments: String...
    ) async throws -> (call: Tool.Call, page: URL) {
        let call = try Tool.Call(["logout"] + arguments, environment: fixture.environment, isAtTerminal: true)
        return (call, try await call.page("http://"))
    }

    /// The status of a call that ends, and all that it has shown.
    private func end(of call: Tool.Call) async -> (status: Int32, shown: String) {
        let result = await call.finish()
        return (result.status, result.errors)
    }

    /// Presses the button of the tool's page.
    /// - Returns: what is sent to the server, its status, and where it sends the browser.
    private func post(
        _ page: URL, _ fixture: ToolFixture
    ) async throws -> (fields: [String: String], status: Int, next: URL?) {
        let (fields, target) = try await form(of: page, fixture)
        var request = URLRequest(url: target)
        request.httpMethod = "POST"
        request.setValue(FormText.contentType, forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(FormText.encode(fields.map { (name: $0.key, value: $0.value) }).utf8)
        let answer = try await visit(request)
        return (
            fields, answer.statusCode,
            answer.value(forHTTPHeaderField: "Location").flatMap(URL.init(string:))
        )
    }

    /// The form of the tool's page, and the address to which its button sends it.
    private func form(of page: URL, _ fixture: ToolFixture) async throws -> (fields: [String: String], target: URL) {
        let button = ScriptedLogin(answers: ["client_id": Secret(fixture.openIDConnect.client.id)])
        let pressed = try await button.visit(page)
        let fields = try #require(pressed.form).map { ($0.name, $0.value) }
        return (Dictionary(uniqueKeysWithValues: fields), pressed.url)
    }

    private func visit(_ request: URLRequest) async throws -> HTTPURLResponse {
        try await DefaultTransport.make().data(for: request).1
    }
}
