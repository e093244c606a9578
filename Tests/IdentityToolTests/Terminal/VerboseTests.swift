import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

@Suite(.endsInTime) struct VerboseTests {
    @Test(
        "The exchange is shown where it was asked for, before or after the command, and nothing secret of it",
        arguments: [(["-v"], []), (["--verbose"], []), ([], ["-v"]), ([], ["--verbose"]), ([], [])])
    func exchange(before: [String], after: [String]) async throws {
        try await withTool { fixture in
            let user = fixture.thunderID.user
            let login = try await Tool.run(
                before + ["login", "--provider", "work", "--username", user.username, "--password-stdin"] + after,
                environment: fixture.environment, input: user.password.reveal() + "\n"
            )
            #expect(login.status == 0, "\(login.errors)")
            let lines = login.errors.split(separator: "\n").filter { $0.contains(" -> ") }
            guard !(before + after).isEmpty else {
                #expect(lines.isEmpty)
                return
            }
            let origin = fixture.thunderID.url.absoluteString
            #expect(lines.contains { $0.wholeMatch(of: /POST http:.*\/oauth2\/token -> 200, \d+ ms/) != nil })
            #expect(
                lines.contains {
                    $0.hasPrefix("GET \(origin)/oauth2/authorize?") && $0.contains("request_uri=<redacted>")
                })
            let token = try await fixture.run("token").output.trimmingCharacters(in: .newlines)
            for secret in [user.password.reveal(), token, "eyJ", "code=", "Bearer"] {
                #expect(!login.errors.replacing("code=<redacted>", with: "").contains(secret), "\(secret)")
            }
        }
    }

    @Test("What the server says went wrong is in the line, and the words of exec are its own")
    func errors() async throws {
        try await withTool { fixture in
            let refused = try await fixture.run(
                "login", "-v", "--provider", "home", "--username", fixture.insForge.user.email, "--password-stdin",
                input: "wrong\n")
            #expect(refused.errors.contains(/\ -> 401 [A-Z_]+, \d+ ms\n/), "\(refused.errors)")
            #expect(!refused.errors.contains("wrong\n"))
            #expect(try await fixture.signIn().status == 0)
            let child = try await fixture.run("exec", "--", "sh", "-c", "echo $1", "sh", "-v")
            #expect(child.output == "-v\n" && child.errors.isEmpty)
            await fixture.insForge.stop()
            let gone = try await fixture.run("doctor", "-v")
            #expect(gone.errors.contains(" -> connection_refused, "), "\(gone.errors)")
        }
    }
}
