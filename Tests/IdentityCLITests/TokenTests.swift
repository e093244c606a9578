import Foundation
import IdentityKit
import IdentityTestKit
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
            #expect(json["access_token"]?.stringValue == raw && json["expires_at"]?.stringValue != nil)
            let kubectl = try JSONValue(
                parsing: Data(try await fixture.run("token", "--format", "kubectl").output.utf8))
            #expect(kubectl["kind"] == "ExecCredential" && kubectl["status"]?["token"]?.stringValue == raw)
            let netrc = try await fixture.run("token", "--format", "netrc", "--host", "api.example.com").output
            #expect(netrc == "machine api.example.com\nlogin oauth2\npassword \(raw)\n")
            #expect(fixture.insForge.http.log.count == requests)
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
