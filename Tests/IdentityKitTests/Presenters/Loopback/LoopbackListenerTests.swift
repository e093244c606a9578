import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing

/// What a listener on loopback takes and what it does not.
@Suite(.endsInTime) struct LoopbackListenerTests {
    /// A listener that waits for the state `right`.
    private func listener(
        for redirectURI: String, time: TimeSource = .system
    ) async throws -> (LoopbackListener, Int) {
        let listener = try LoopbackListener.start(for: #require(URL(string: redirectURI)), time: time)
        let page = try #require(URL(string: "https://id.example/authorize?state=right"))
        listener.expect(WebAuthenticationRequest(url: page, redirectURI: listener.redirectURI))
        return (listener, try #require(listener.redirectURI.port))
    }

    /// Sends `request` as it is, and returns what comes back until the connection ends.
    private func send(_ request: String, to address: String = "127.0.0.1", _ port: Int) async throws -> String {
        try await shell(
            "exec 3<>/dev/tcp/\(address)/\(port) || exit 7; printf '%s' \"$REQUEST\" >&3; cat <&3",
            environment: ["REQUEST": request])
    }

    private func get(_ target: String, host: String) -> String { "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n" }

    @Test("localhost is listened to on both loopback addresses, at one free port", arguments: ["127.0.0.1", "::1"])
    func bothAddresses(address: String) async throws {
        let (listener, port) = try await listener(for: "http://localhost/callback")
        #expect(listener.redirectURI.absoluteString == "http://localhost:\(port)/callback")
        #expect(port > 1023)
        let answer = try await send(get("/callback?code=c&state=right", host: "localhost:\(port)"), to: address, port)
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        let response = try await listener.response()
        #expect(response.absoluteString == "http://localhost:\(port)/callback?code=c&state=right")
        await listener.stop()
    }

    @Test("A listener that stops ends the wait for a response, which comes no more", arguments: [true, false])
    func stopped(waits: Bool) async throws {
        let (listener, _) = try await listener(for: "http://127.0.0.1/")
        let response = waits ? Task { try await listener.response() } : nil
        await Task.yield()
        await listener.stop()
        await #expect(throws: CancellationError.self) {
            if let response { _ = try await response.value } else { _ = try await listener.response() }
        }
    }

    @Test("A response that arrives before the wait is kept, and a second one is not accepted")
    func early() async throws {
        let (listener, port) = try await listener(for: "http://127.0.0.1/")
        let request = get("/?error=access_denied&state=right", host: "127.0.0.1:\(port)")
        #expect(try await send(request, port).hasPrefix("HTTP/1.1 200 "))
        #expect(try await send(request, port).hasPrefix("HTTP/1.1 400 "))
        #expect(try await listener.response().query == "error=access_denied&state=right")
        #expect(listener.strayCount == 1)
        await listener.stop()
    }

    @Test(
        "The last page shows how it went, and says that the sign-in continues only when it does",
        arguments: [
            ("code=c", "good", "The sign-in continues in the program"),
            ("response=a.b.c", "good", "The program that opened the sign-in checks it"),
            ("error=access_denied", "bad", "The sign-in was refused or cancelled"),
            ("error=%3Cb%3Enone", "bad", "<p>Nobody was signed in."),
            ("insforge_error=late", "bad", "The server reported <code>late</code>. Nobody was signed in."),
        ])
    func lastPage(query: String, sign: String, text: String) async throws {
        let (listener, port) = try await listener(for: "http://127.0.0.1/callback")
        let page = try await send(get("/callback?\(query)&state=right", host: "127.0.0.1:\(port)"), port)
        #expect(page.contains("class=\"sign \(sign)\"") && page.contains(text), "\(page)")
        #expect(page.contains("continues") == query.hasPrefix("code") && page.contains("You can close this page"))
        await listener.stop()
    }

    @Test(
        "What was not meant for the address is not even a stray", .guards("state"),
        arguments: [
            "GET /callback?state=right HTTP/1.1\r\nHost: attacker.example\r\n\r\n",
            "GET /callback?state=right HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            "GET /callback?state=right HTTP/1.1\r\nHost: localhost:@PORT\r\n\r\n",
            "GET /callback?state=right HTTP/1.1\r\nHost: 127.0.0.1:@PORT\r\nHost: attacker.example\r\n\r\n",
            "GET /callback?state=right HTTP/1.1\r\n\r\n",
            "GET /other?state=right HTTP/1.1\r\nHost: 127.0.0.1:@PORT\r\n\r\n",
            "HEAD /callback?state=right HTTP/1.1\r\nHost: 127.0.0.1:@PORT\r\n\r\n",
            "POST /callback?state=right HTTP/1.1\r\nHost: 127.0.0.1:@PORT\r\nContent-Length: 0\r\n\r\n",
        ])
    func elsewhere(request: String) async throws {
        let (listener, port) = try await listener(for: "http://127.0.0.1/callback")
        let answer = try await send(request.replacingOccurrences(of: "@PORT", with: "\(port)"), port)
        #expect(answer.hasPrefix("HTTP/1.1 404 "), "\(answer)")
        #expect(listener.strayCount == 0)
        let right = try await send(get("/callback?state=right", host: "127.0.0.1:\(port)"), port)
        #expect(right.hasPrefix("HTTP/1.1 200 "))
        await listener.stop()
    }

    @Test(
        "No request makes it send the browser elsewhere (RFC 9700 section 4.11.1)", .guards("open redirector"),
        arguments: [
            "/callback?code=c&state=right&redirect_uri=https://evil.example/",
            "/callback?state=wrong&next=//evil.example",
            "//evil.example/callback?state=right", "/\\evil.example", "http://evil.example/callback?state=right",
            "/callback/..//evil.example",
            "/callback?state=right&error=<meta%20http-equiv=refresh%20content=0;//evil.example>",
        ])
    func openRedirect(target: String) async throws {
        let (listener, port) = try await listener(for: "http://127.0.0.1/callback")
        let answer = try await send(get(target, host: "127.0.0.1:\(port)"), port)
        #expect(answer.hasPrefix("HTTP/1.1 "))
        #expect(!answer.hasPrefix("HTTP/1.1 3"), "\(answer)")
        for header in ["location:", "refresh:", "evil.example"] { #expect(!answer.lowercased().contains(header)) }
        await listener.stop()
    }

    @Test(
        "Its pages lead nowhere and tell nobody their address, which has a code in it (RFC 9700 section 4.2.4)",
        .guards("Referer"),
        arguments: ["/callback?code=c&state=right", "/callback?code=c&state=wrong", "/other?code=c"])
    func referer(target: String) async throws {
        let (listener, port) = try await listener(for: "http://127.0.0.1/callback")
        let answer = try await send(get(target, host: "127.0.0.1:\(port)"), port)
        let parts = answer.components(separatedBy: "\r\n\r\n")
        let (head, page) = (try #require(parts.first).lowercased(), try #require(parts.last).lowercased())
        #expect(head.contains("referrer-policy: same-origin"), "\(head)")
        #expect(head.contains("content-security-policy: default-src 'none'"))
        #expect(head.contains("cache-control: no-store"))
        for element in ["<a ", "<img", "<script", "<link", "<iframe", "<form", "://"] {
            #expect(!page.contains(element))
        }
        await listener.stop()
    }

    @Test("Nobody but this machine can reach it (RFC 8252 section 8.3)", .guards("loopback only"))
    func otherInterfaces() async throws {
        let (listener, port) = try await listener(for: "http://localhost/callback")
        #expect(try ListeningAddresses.at(port: port) == ["127.0.0.1", "::1"])
        await listener.stop()
    }

    @Test("The fields of a form come after the query of its address, written anew")
    func form() async throws {
        let (listener, port) = try await listener(for: "http://127.0.0.1/callback?tenant=1")
        let body = "code=a b&state=right&session_state=%23"
        let answer = try await send(
            "POST /callback?tenant=1 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: \(body.utf8.count)\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\n\r\n" + body, port)
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        #expect(try await listener.response().query == "tenant=1&code=a+b&state=right&session_state=%23")
        await listener.stop()
    }

    @Test("The form of a sign-out is on a page that nobody can guess, and leads to its endpoint and back alone")
    func signOutForm() async throws {
        let listener = try LoopbackListener.start(for: #require(URL(string: "http://127.0.0.1/bye?tenant=1")))
        let (port, end) = (
            try #require(listener.redirectURI.port), try #require(URL(string: "https://id.example:8443/end?a=1&b=2"))
        )
        var request = WebAuthenticationRequest(
            url: end, redirectURI: listener.redirectURI, isResponse: { $0.query?.contains("state=right") == true })
        request.signOut = .init(form: .init(action: end, fields: [("hint", #""><script>'&"#)]))
        let page = listener.expect(request)
        #expect(page.path.count > 30 && page.port == port && page.query == nil)
        let answer = try await send(get(page.path, host: "127.0.0.1:\(port)"), port)
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        #expect(answer.contains(#"<form method="post" action="https://id.example:8443/end?a=1&amp;b=2">"#))
        #expect(answer.contains(#"name="hint" value="&quot;&gt;&lt;script&gt;&#39;&amp;""#), "\(answer)")
        #expect(answer.contains("<button>"), "without a script a person goes on")
        #expect(answer.contains("form-action 'self' https://id.example:8443; script-src 'sha256-"))
        #expect(answer.contains("default-src 'none'") && answer.contains("Cache-Control: no-store"))
        #expect(answer.contains("Referrer-Policy: no-referrer") && answer.contains("X-Frame-Options: DENY"))
        for elsewhere in [
            get(page.path, host: "attacker.example:\(port)"), get(page.path + "x", host: "127.0.0.1:\(port)"),
            get("/", host: "127.0.0.1:\(port)"),
        ] {
            #expect(try await send(elsewhere, port).hasPrefix("HTTP/1.1 404 "))
        }
        let response = try await send(get("/bye?state=right", host: "127.0.0.1:\(port)"), port)
        #expect(response.hasPrefix("HTTP/1.1 200 ") && !response.contains("sign-in"), "\(response)")
        #expect(try await send(get(page.path, host: "127.0.0.1:\(port)"), port).hasPrefix("HTTP/1.1 404 "))
        await listener.stop()
    }

    @Test("Strays are counted, and after a while get no page any more")
    func flood() async throws {
        let (listener, port) = try await listener(for: "http://127.0.0.1/callback")
        let stray = get("/callback?state=wrong", host: "127.0.0.1:\(port)")
        for number in 1...20 {
            let answer = try await send(stray, port)
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
            #expect(answer.contains("belongs to no sign-in") == (number <= 16))
        }
        #expect(listener.strayCount == 20)
        let right = try await send(get("/callback?state=right", host: "127.0.0.1:\(port)"), port)
        #expect(right.hasPrefix("HTTP/1.1 200 "))
        await listener.stop()
    }

    @Test("A connection that sends too much ends without an answer")
    func tooMuch() async throws {
        let (listener, port) = try await listener(for: "http://127.0.0.1/callback")
        let head = try await shell(
            """
            trap '' PIPE; exec 3<>/dev/tcp/127.0.0.1/\(port)
            { printf 'GET /callback HTTP/1.1\\r\\nX: '; head -c 300000 /dev/zero | tr '\\0' a; } >&3 2>/dev/null; cat <&3
            """)
        #expect(!head.contains(" 200 ") && !head.contains("belongs to no sign-in"))
        let body = try await shell(
            """
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            { printf 'POST /callback HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\nContent-Length: 70000\\r\\n\\r\\n'
              head -c 70000 /dev/zero | tr '\\0' a; } >&3; cat <&3
            """)
        #expect(body.hasPrefix("HTTP/1.1 413 "))
        #expect(listener.strayCount == 0)
        await listener.stop()
    }

    @Test(
        "What is no request of a browser is refused, and never the response",
        arguments: [
            "GET /callback?state=right HTTP/2.0\r\nHost: 127.0.0.1:@PORT\r\n\r\n",
            "GET /callback?state=right\r\n\r\n",
            "GET  /callback?state=right HTTP/1.1\r\nHost: 127.0.0.1:@PORT\r\n\r\n",
            "GET /callback?state=right HTTP/1.1\r\nHost : 127.0.0.1:@PORT\r\n\r\n",
            "GET /callback?state=right HTTP/1.1\r\nX: a\r\n folded\r\nHost: 127.0.0.1:@PORT\r\n\r\n",
            "GET /callback?state=right HTTP/1.1\r\nX: a\nHost: 127.0.0.1:@PORT\r\n\r\n",
            "GET /callback?state=right&a=\u{7f} HTTP/1.1\r\nHost: 127.0.0.1:@PORT\r\n\r\n",
            "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:@PORT\r\nContent-Length: +1\r\n\r\na",
            "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:@PORT\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
            "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:@PORT\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ])
    func malformed(request: String) async throws {
        let (listener, port) = try await listener(for: "http://127.0.0.1/callback")
        let answer = try await send(request.replacingOccurrences(of: "@PORT", with: "\(port)"), port)
        #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 411 "), "\(answer)")
        #expect(listener.strayCount == 0)
        await listener.stop()
    }

    @Test("A request that comes in pieces is one request")
    func pieces() async throws {
        let (listener, port) = try await listener(for: "http://127.0.0.1/callback")
        let answer = try await shell(
            """
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            printf 'GET /callback?state=right HTTP/1.1\\r' >&3
            printf '\\nHost: 127.0.0.1:\(port)\\r\\n\\r' >&3; printf '\\n' >&3; cat <&3
            """)
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        #expect(try await listener.response().query == "state=right")
        await listener.stop()
    }

    @Test("A listener that is released closes its port")
    func forgotten() async throws {
        var listener: LoopbackListener? = try LoopbackListener.start(
            for: #require(URL(string: "http://127.0.0.1/callback")))
        let uri = try #require(listener?.redirectURI)
        listener = nil
        while (try? LoopbackListener.start(for: uri)) == nil { await Task.yield() }
    }

    @Test("Many connections do not keep the browser out: the oldest gives way")
    func connections() async throws {
        let (listener, port) = try await listener(for: "http://127.0.0.1/callback")
        let result = try await shell(
            """
            exec 9<>/dev/tcp/127.0.0.1/\(port)
            for i in {1..32}; do exec {other}<>/dev/tcp/127.0.0.1/\(port); done
            cat <&9; echo gone
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            printf 'GET /callback?state=right HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\\r\\n' >&3; head -1 <&3
            """)
        #expect(result.hasPrefix("gone\nHTTP/1.1 200 "), "\(result)")
        await listener.stop()
    }

    @Test("A client that takes its time loses its connection")
    func slow() async throws {
        let clock = ManualClock()
        let (listener, port) = try await listener(for: "http://127.0.0.1/callback", time: clock.timeSource)
        async let answer = send("GET /callback?state=right HTTP/1.1\r\nHo", port)
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(by: .seconds(15))
        #expect(try await answer.isEmpty)
        await listener.stop()
    }

    @Test("A named port that is taken on one of the two addresses is refused", arguments: ["127.0.0.1", "::1"])
    func takenPort(address: String) async throws {
        let port = FreePort.find()
        let other = try await LocalHTTPServer.start(host: address, port: port) { _ in .text("somebody else") }
        let uri = try #require(URL(string: "http://localhost:\(port)/callback"))
        #expect(throws: LoopbackBrowserError.portTaken(port)) { try LoopbackListener.start(for: uri) }
        await other.stop()
        // Nothing is left behind on the other address. A program that another test starts has the first one's socket as well
        // until it is executed.
        var listener: LoopbackListener?
        while listener == nil { listener = try? LoopbackListener.start(for: uri) }
        await listener?.stop()
    }

    @Test("A wait that is cancelled ends")
    func cancelled() async throws {
        let (listener, _) = try await listener(for: "http://127.0.0.1/callback")
        let wait = Task { try await listener.response() }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
        await listener.stop()
    }
}
