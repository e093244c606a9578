import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite struct TokenTests {
    @Test("A token is printed in every form, from the store alone")
    func formats() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let requests = fixture.insForge.http.log.count
            let raw = try await fixture.run("token").output.trimmingCharacters(in: .newlines)
            #expect(raw.split(separator: ".").count == 3)
            #expect(try await fixture.run("token", "--format", "header").output == "Authorization: Bearer \(raw)\n")
            let json = try JSONValue(parsing: Data(try await fixture.run("token", "--json").output.utf8))
            #expect(json["accessToken"]?.stringValue == raw && json["expiresAt"]?.stringValue != nil)
            let netrc = try await fixture.run("token", "--format", "netrc", "--host", "api.example.com").output
            #expect(netrc == "machine api.example.com\nlogin oauth2\npassword \(raw)\n")
            #expect(fixture.insForge.http.log.count == requests)
        }
    }

    @Test("What the session keeps of the token response is printed as JSON, and nothing else that it holds")
    func details() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            let plain = try JSONValue(parsing: Data(try await fixture.run("token", "--json").output.utf8))
            #expect(plain["details"] == nil)
            let details: [String: JSONValue] = ["instance_url": "https://na1.example.com", "team.id": 7, "paid": true]
            try await fixture.changeSession { $0.keep(details) }
            let json = try JSONValue(parsing: Data(try await fixture.run("token", "--json").output.utf8))
            #expect(json["details"] == .object(details))
        }
    }

    @Test("A token is refreshed where it has to last longer, and where a fresh one is wanted")
    func freshness() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let requests = fixture.insForge.http.log.count
            #expect(try await fixture.run("token", "--min-life", "10s").status == 0)
            #expect(fixture.insForge.http.log.count == requests)
            for arguments in ["--min-life 3000d", "--fresh"] {
                let before = fixture.insForge.http.log.count
                #expect(try await fixture.run(line: "token \(arguments)").status == 0)
                #expect(fixture.insForge.http.log.count > before, "\(arguments)")
            }
            for wrong in ["10", "-1m", "m", "1.5h", "9223372036854775807d", "\u{663}m"] {
                #expect(try await fixture.run("token", "--min-life=\(wrong)").status == 64, "\(wrong)")
            }
            #expect(try await fixture.run(line: "token --fresh --min-life 1m").status == 64)
            await fixture.insForge.stop()
            expectOneLine(try await fixture.run("token", "--fresh"), status: 5, of: "token --fresh")
            #expect(try await fixture.run("token").status == 0)
        }
    }

    @Test(
        "A token with a line break is printed in no form, sent in no request, and given to no command",
        arguments: ["secret\r\nX-Injected: 1", "secret\nmachine evil.example", "secret\u{1B}[2J"])
    func lineBreak(token: String) async throws {
        try await withTool { fixture in
            try fixture.configure(ProviderConfiguration(name: "ci", type: "environment-token", settings: [:]))
            let environment = fixture.environment.merging(["SWIFT_IDENTITY_TOKEN": token]) { $1 }
            let api = try await LocalHTTPServer.start { _ in .text("arrived") }
            let forms = ["raw", "header", "json", "netrc"].map {
                ["token", "--host", "a.example", "--format", $0]
            }
            for arguments in forms + [["request", api.url.absoluteString], ["exec", "--", "printenv"]] {
                let result = try await Tool.run(arguments, environment: environment)
                expectOneLine(result, status: 1, of: arguments.joined(separator: " "))
                #expect(result.output.isEmpty && !result.errors.contains("secret"), "\(arguments): \(result)")
                #expect(result.errors.contains("SWIFT_IDENTITY_TOKEN"), "\(result.errors)")
            }
            #expect(api.log.count == 0)
            await api.stop()
        }
    }

    @Test("A token with a space, or a machine's name with one, makes no netrc line")
    func netrc() async throws {
        try await withTool { fixture in
            try fixture.configure(ProviderConfiguration(name: "ci", type: "environment-token", settings: [:]))
            let environment = fixture.environment.merging(["SWIFT_IDENTITY_TOKEN": "a machine b"]) { $1 }
            let form = ["token", "--format", "netrc", "--host"]
            let token = try await Tool.run(form + ["a.example"], environment: environment)
            expectOneLine(token, status: 1, of: "netrc")
            let sound = fixture.environment.merging(["SWIFT_IDENTITY_TOKEN": "a"]) { $1 }
            for host in ["a machine b", "a\nb", ""] {
                let result = try await Tool.run(form + [host], environment: sound)
                #expect(result.status == 64 && result.output.isEmpty, "\(result)")
            }
        }
    }

    @Test("A command finds the token in its environment and leaves its own exit status")
    func exec() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let token = try await fixture.run("token").output
            let result = try await fixture.run("exec", "--", "sh", "-c", "echo $SWIFT_IDENTITY_TOKEN; exit 7")
            #expect(result.status == 7 && result.output == token)
            let named = try await fixture.run("exec", "--variable", "API_TOKEN", "--", "printenv", "API_TOKEN")
            #expect(named.output == token)
            let missing = try await fixture.run("exec", "--", "no-such-command")
            #expect(missing.status == 127 && missing.errors.contains("no-such-command"))
            #expect(try await fixture.run("exec").status == 64)
        }
    }

    @Test("A request carries the token, and the answer comes out as it is")
    func request() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let token = try await fixture.run("token").output.trimmingCharacters(in: .newlines)
            let api = try await LocalHTTPServer.start { request in
                guard request.path == "/echo" else { return .text("no", status: 404) }
                return .text(
                    "\(request.method) \(request.bearerToken == token) \(String(decoding: request.body, as: UTF8.self))"
                )
            }
            let url = api.url.appendingPathComponent("echo").absoluteString
            #expect(try await fixture.run("request", url).output == "GET true ")
            #expect(try await fixture.run("request", url, "-d", "-", input: "body").output == "POST true body")
            #expect(try await fixture.run("request", url, "-i").output.hasPrefix("HTTP 200\n"))
            let failed = try await fixture.run("request", api.url.absoluteString)
            #expect(failed.status == 1 && failed.output == "no")
            let insecure = try await fixture.run("request", "http://example.com/")
            #expect(insecure.status == 1 && insecure.errors.contains("without TLS"))
            await api.stop()
        }
    }
}
