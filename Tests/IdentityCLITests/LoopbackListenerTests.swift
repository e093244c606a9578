import Foundation
import IdentityKit
import IdentityTestKit
import Testing

@testable import identity

/// What a listener on loopback takes and what it does not.
@Suite(.timeLimit(.minutes(2))) struct LoopbackListenerTests {
    /// A listener that waits for the state `right`.
    private func listener(
        for redirectURI: String, time: TimeSource = .system
    ) async throws -> (LoopbackListener, Int) {
        let listener = try await LoopbackListener.start(for: #require(URL(string: redirectURI)), time: time)
        let page = try #require(URL(string: "https://id.example/authorize?state=right"))
        listener.expect(WebAuthenticationRequest(url: page, redirectURI: listener.redirectURI))
        return (listener, try #require(listener.redirectURI.port))
    }

    /// Sends `request` as it is, and returns what comes back until the connection ends.
    private func send(_ request: String, to address: String = "127.0.0.1", _ port: Int) async throws -> String {
        try await IdentityTool.shell(
            "exec 3<>/dev/tcp/\(address)/\(port) || exit 7; printf '%s' \"$REQUEST\" >&3; cat <&3",
            environment: ["REQUEST": request]
        ).output
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

    @Test("A response that comes before anybody waits is not lost, and a second one is none")
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
        "What was not meant for the address is not even a stray",
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
        let head = try await IdentityTool.shell(
            """
            trap '' PIPE; exec 3<>/dev/tcp/127.0.0.1/\(port)
            { printf 'GET /callback HTTP/1.1\\r\\nX: '; head -c 300000 /dev/zero | tr '\\0' a; } >&3 2>/dev/null; cat <&3
            """)
        #expect(!head.output.contains(" 200 ") && !head.output.contains("belongs to no sign-in"))
        let body = try await IdentityTool.shell(
            """
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            { printf 'POST /callback HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\nContent-Length: 70000\\r\\n\\r\\n'
              head -c 70000 /dev/zero | tr '\\0' a; } >&3; cat <&3
            """)
        #expect(body.output.hasPrefix("HTTP/1.1 413 "))
        #expect(listener.strayCount == 0)
        await listener.stop()
    }

    @Test("Many connections do not keep the browser out: the oldest gives way")
    func connections() async throws {
        let (listener, port) = try await listener(for: "http://127.0.0.1/callback")
        let result = try await IdentityTool.shell(
            """
            exec 9<>/dev/tcp/127.0.0.1/\(port)
            for i in {1..32}; do exec {other}<>/dev/tcp/127.0.0.1/\(port); done
            cat <&9; echo gone
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            printf 'GET /callback?state=right HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\\r\\n' >&3; head -1 <&3
            """)
        #expect(result.output.hasPrefix("gone\nHTTP/1.1 200 "), "\(result.output)")
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
        let other = try await LocalHTTPServer.start(host: address, limits: nil) { _ in .text("somebody else") }
        let port = try #require(other.url.port)
        let uri = try #require(URL(string: "http://localhost:\(port)/callback"))
        await #expect(throws: BrowserSignInError.portTaken(port)) { try await LoopbackListener.start(for: uri) }
        await other.stop()
        // Nothing is left behind on the other address.
        await (try LoopbackListener.start(for: uri)).stop()
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

/// The browser of a terminal.
@Suite(.timeLimit(.minutes(2))) struct TerminalBrowserTests {
    private let browser = TerminalBrowser(terminal: Terminal(), opensBrowser: false, patience: 60)

    @Test("An address that was prepared and never used makes room for the next one at its port")
    func abandoned() async throws {
        let free = try await LocalHTTPServer.start { _ in .text("") }
        let port = try #require(free.url.port)
        await free.stop()
        for path in ["a", "a", "b"] {
            let uri = try #require(URL(string: "http://127.0.0.1:\(port)/\(path)"))
            #expect(try await browser.redirectURI(for: uri) == uri)
        }
        await browser.close()
        await (try LocalHTTPServer.start(port: port) { _ in .text("") }).stop()
    }

    @Test("An address that does not come back to this machine is refused before a page is shown")
    func elsewhere() async throws {
        for text in ["com.example.app:/callback", "https://127.0.0.1/callback", "http://app.example/callback"] {
            let uri = try #require(URL(string: text))
            await #expect(throws: BrowserSignInError.unreachableRedirect(text)) {
                try await browser.redirectURI(for: uri)
            }
        }
    }
}
