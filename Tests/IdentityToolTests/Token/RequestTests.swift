import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

@Suite(.endsInTime) struct RequestTests {
    /// Runs `test` with a signed-in tool and the address of a server that answers with what it was sent.
    private func withEcho(_ test: (ToolFixture, String) async throws -> Void) async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let echo = try await LocalHTTPServer.start { request in
                let fields = request.headers.filter { $0.name.lowercased().hasPrefix("x-") }
                    .map { "\($0.name.lowercased()): \($0.value)\n" }.sorted().joined()
                return .text("\(request.target)\n\(fields)\(String(decoding: request.body, as: UTF8.self))")
            }
            try await test(fixture, echo.url.absoluteString)
            await echo.stop()
        }
    }

    @Test(
        "An address arrives as it was typed; only what none may contain is encoded, and nothing twice",
        arguments: [
            ("/a;b/c,d(e)'!*~$&+=:@", "/a;b/c,d(e)'!*~$&+=:@"), ("/%2F?q=a+b&c=%2B", "/%2F?q=a+b&c=%2B"),
            ("/?q=%2B and %26|{x}", "/?q=%2B%20and%20%26%7C%7Bx%7D"), ("/?a[]=1&b=%2C", "/?a%5B%5D=1&b=%2C"),
            ("/é?ü=%C3%BC", "/%C3%A9?%C3%BC=%C3%BC"), ("/?100%&x=%zz", "/?100%25&x=%25zz"),
            ("/?a=b?c/d#e f", "/?a=b?c/d"),
        ])
    func address(typed: String, arrives: String) async throws {
        try await withEcho { fixture, origin in
            let result = try await fixture.run("request", origin + typed)
            #expect(result.output == arrives + "\n", "\(result.errors)")
        }
    }

    @Test("Header fields and bodies arrive as they were typed")
    func fieldsAndBody() async throws {
        try await withEcho { fixture, origin in
            let body = #"{"a": "b+c&d=e; f?!`^~|%41", "g": 'h'}"# + "\n-\n"
            let fields = try await fixture.run(
                "request", origin, "-H", #"X-A: a;b,"c" {d}:e:"#, "-H", "X-B: 1", "-H", "X-B: 2", "-d", body)
            #expect(fields.output == "/\nx-a: a;b,\"c\" {d}:e:\nx-b: 1,2\n" + body, "\(fields.errors)")
            for arguments in [["-d", "-1"], ["-d-1"], ["--data=-1"]] {
                let result = try await Tool.run(
                    ["request", origin] + arguments, environment: fixture.environment
                )
                #expect(result.output == "/\n-1", "\(arguments): \(result.errors)")
            }
            #expect(try await fixture.run("request", origin, "-d", "@-", input: "a=b;c").output == "/\na=b;c")
        }
    }

    @Test(
        "What is no header field or no address is refused", arguments: [":x: y", "x y: z", "x", ": y", "x: a\r\nb: c"])
    func noField(field: String) async throws {
        try await withTool { fixture in
            let result = try await fixture.run("request", "https://api.example.com", "-H", field)
            #expect(result.status == 64, "\(result.errors)")
        }
    }

    @Test("The status without a response is the one that the help names")
    func noResponse() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            expectOneLine(try await fixture.run("request", "http://127.0.0.1:1/"), status: 5, of: "request")
            #expect(try await Tool.run("request", "--help").output.contains("5   there was no response\n"))
        }
    }

    @Test("A session that is bound to a key is used with a proof, and its token goes under its own scheme")
    func bound() async throws {
        try await withTool { fixture in
            let configured = try #require(fixture.configuration.providers.first { $0.name == "work" })
            var settings = try #require(configured.settings.objectValue)
            settings["bindsTokens"] = true
            try fixture.configure(
                ProviderConfiguration(name: "work", type: "thunderid", settings: .object(settings)))
            #expect(try await fixture.signInAtThunderID().status == 0)
            let raw = try await fixture.run("token")
            #expect(raw.errors.contains("bound to a key"))
            let token = raw.output.trimmingCharacters(in: .newlines)
            #expect(try await fixture.run("token", "--format", "header").output == "Authorization: DPoP \(token)\n")
            let json = try JSONValue(parsing: Data(try await fixture.run("token", "--json").output.utf8))
            #expect(json["tokenType"] == "DPoP")
            let info = try await fixture.run(
                "request", fixture.thunderID.url.appendingPathComponent("oauth2/userinfo").absoluteString)
            #expect(info.status == 0 && info.output.contains(fixture.thunderID.user.id), "\(info)")
        }
    }
}
