import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What ends a sign-in in the browser, and what does not.
@Suite(.endsInTime) struct BrowserReturnTests {
    /// Sends `request` and returns the status and the page.
    private func visit(_ request: URLRequest) async throws -> (status: Int, page: String) {
        let (body, head) = try await DefaultTransport.make().data(for: request)
        return (head.statusCode, String(decoding: body, as: UTF8.self))
    }

    /// Starts a sign-in, lets the person sign in, and hands over where the browser is sent.
    private func withReturn(
        redirectURI: String = "http://127.0.0.1/callback",
        _ test: (ToolFixture, URL) async throws -> Void
    ) async throws {
        try await withTool(redirectURI: redirectURI) { fixture in
            let (call, address) = try await fixture.startBrowserLogin()
            defer { call.cancel() }
            let user = fixture.openIDConnect.user
            let callback = try await ScriptedLogin(username: user.username, password: user.password)
                .signIn(at: address)
            try await test(fixture, callback)
            let result = await call.finish()
            #expect(result.output == "any/\(user.id)\n", "\(result.errors)")
        }
    }

    @Test(
        "A request to the callback address that belongs to no sign-in does not end one", .guards("state"),
        arguments: [
            "", "?code=forged", "?code=forged&state=wrong", "?error=access_denied&state=wrong",
            "?error=access_denied&iss=https://evil.example", "?insforge_code=forged",
        ])
    func forged(query: String) async throws {
        try await withReturn { _, callback in
            let address = try #require(callback.absoluteString.split(separator: "?").first)
            let forged = try #require(URL(string: address + query))
            let answer = try await visit(URLRequest(url: forged))
            #expect(answer.status == 400)
            #expect(answer.page.contains("belongs to no sign-in"))
            #expect(try await visit(URLRequest(url: callback)).status == 200)
        }
    }

    @Test(
        "An error that names no sign-in ends none; the person can stop, and only by the page's own button",
        arguments: [true, false])
    func unconfirmed(isStopped: Bool) async throws {
        try await withTool { fixture in
            let (call, page) = try await fixture.startBrowserLogin()
            defer { call.cancel() }
            let user = fixture.openIDConnect.user
            let callback = try await ScriptedLogin(username: user.username, password: user.password).signIn(at: page)
            let address = try #require(callback.absoluteString.split(separator: "?").first)
            let denial = try #require(URL(string: address + "?error=access_denied"))
            let answer = try await visit(URLRequest(url: denial))
            #expect(answer.status == 400 && answer.page.contains("Somebody reported access_denied"), "\(answer)")
            await call.waits(for: "Somebody reported access_denied, unconfirmed")
            let path = try #require(answer.page.firstMatch(of: /action="([^"]+)"/)?.1)
            #expect(path.count > 30)
            var stop = URLRequest(url: try #require(URL(string: String(path), relativeTo: denial)?.absoluteURL))
            #expect(try await visit(stop).status == 404)
            stop.httpMethod = "POST"
            if isStopped {
                #expect(try await visit(stop).page.contains("waits no longer"))
            } else {
                #expect(try await visit(URLRequest(url: callback)).status == 200)
            }
            let result = await call.finish()
            #expect(result.status == (isStopped ? 4 : 0), "\(result.errors)")
            #expect(result.output == (isStopped ? "" : "any/\(user.id)\n"))
        }
    }

    @Test("An address that is pasted goes through the same checks as a request, and counts once")
    func pasted() async throws {
        try await withTool { fixture in
            let (run, terminal) = try fixture.start("login", "--provider", "any")
            defer { run.interrupt() }
            let page = try await terminal.page()
            await terminal.waits(for: "paste the address")
            let user = fixture.openIDConnect.user
            let callback = try await ScriptedLogin(username: user.username, password: user.password).signIn(at: page)
            let query = try #require(callback.query)
            for wrong in [
                "http://127.0.0.1:1/callback?\(query)", "https://127.0.0.1:\(callback.port ?? 0)/callback?\(query)",
                "http://127.0.0.1:\(callback.port ?? 0)/other?\(query)", "\(query)",
                callback.absoluteString.replacingOccurrences(of: "state=", with: "state=x"),
            ] {
                terminal.type(wrong)
                await terminal.waits(for: "This is not the address that the sign-in returns to.")
            }
            terminal.type("  \(callback.absoluteString)#_=_ ")
            let result = await run.finish()
            #expect(result.output == "any/\(user.id)\n", "\(terminal.text)")
            #expect(fixture.openIDConnect.http.log.filter { $0.path == "/token" }.count == 1)
        }
    }

    @Test(
        "Over SSH and without a display, the sign-in on another device is offered, also when the browser fails",
        arguments: ["", ":0"], ["", "/bin/false"])
    func remote(display: String, browser: String) async throws {
        try await withTool { fixture in
            let terminal = try PseudoTerminal()
            let variables = [
                "SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22", "DISPLAY": display, "PATH": MissingPath.make(),
                "BROWSER": browser,
            ]
            let run = try ToolProcess.Run(
                ["login", "--provider", "any"], environment: fixture.environment.merging(variables) { $1 }, at: terminal
            )
            await terminal.waits(for: "paste the address")
            run.interrupt()
            #expect(await run.finish().status == 130)
            #expect(terminal.text.contains("identity login --device --provider any") == display.isEmpty)
        }
    }

    @Test("A denial that belongs to the sign-in ends it")
    func denied() async throws {
        try await withTool { fixture in
            let (call, address) = try await fixture.startBrowserLogin()
            let user = fixture.openIDConnect.user
            let callback = try await ScriptedLogin(username: user.username, password: user.password, allows: false)
                .signIn(at: address)
            #expect(callback.absoluteString.contains("error=access_denied"))
            #expect(try await visit(URLRequest(url: callback)).status == 200)
            #expect(await call.finish().output.isEmpty)
        }
    }

    @Test("The browser comes back to the IPv6 loopback address")
    func ipv6() async throws {
        try await withReturn(redirectURI: "http://[::1]/callback") { _, callback in
            #expect(callback.absoluteString.hasPrefix("http://[::1]:"))
            // Foundation on Linux cannot open an address of IPv6.
            let request =
                "GET /callback?\(callback.query ?? "") HTTP/1.1\\r\\nHost: [::1]:\(callback.port ?? 0)\\r\\n\\r\\n"
            let answer = try await ToolProcess.shell(
                "exec 3<>/dev/tcp/::1/\(callback.port ?? 0); printf '\(request.replacingOccurrences(of: "%", with: "%%"))' >&3; head -1 <&3"
            )
            #expect(answer.output.contains(" 200 "))
        }
    }

    @Test("A response that is posted as a form ends the wait (OAuth 2.0 Form Post Response Mode)")
    func formPost() async throws {
        try await withReturn { _, callback in
            let parts = callback.absoluteString.split(separator: "?", maxSplits: 1)
            var posted = URLRequest(url: try #require(URL(string: String(parts[0]))))
            posted.httpMethod = "POST"
            posted.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            posted.httpBody = Data("code=forged&state=wrong".utf8)
            #expect(try await visit(posted).status == 400)
            posted.httpBody = Data(parts[1].utf8)
            #expect(try await visit(posted).status == 200)
        }
    }

    @Test("A port that the redirect URI names and that another program has is refused before any page is shown")
    func portTaken() async throws {
        let other = try await LocalHTTPServer.start { _ in .text("somebody else") }
        let port = try #require(other.url.port)
        try await withTool(redirectURI: "http://127.0.0.1:\(port)/callback") { fixture in
            let result = try await fixture.run("login", "--provider", "any", "--no-browser", "--timeout", "5")
            #expect(result.status == 1)
            #expect(result.errors.contains("port \(port)"), "\(result.errors)")
            #expect(!result.errors.contains("Open this page"), "\(result.errors)")
        }
        await other.stop()
    }
}

extension ToolFixture {
    /// Starts a sign-in in the browser.
    /// - Returns: the call, which waits for the browser to come back, and the address that it has shown.
    func startBrowserLogin(_ arguments: String...) async throws -> (call: Tool.Call, page: URL) {
        let words = ["login"] + (arguments.isEmpty ? ["--provider", "any"] : arguments)
        let call = try Tool.Call(words, environment: environment, isAtTerminal: true)
        return (call, try await call.page())
    }
}
