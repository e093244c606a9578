import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

@Suite(.endsInTime) struct LogoutTests {
    private let ended = AccountID(account: "1", realm: "home")

    @Test("A session that has ended is removed, named or not", arguments: [["logout"], ["logout", "home/1"]])
    func endedSession(command: [String]) async throws {
        try await withTool { fixture in
            try await fixture.end(ended, #"{"endReason": "It was revoked.", "signedInAt": 0}"#)
            let result = try await Tool.run(command, environment: fixture.environment)
            #expect(result.status == 0 && result.errors == "Signed out home/1.\n", "\(result)")
            #expect(try await fixture.run("accounts", "--json").output == "[\n\n]\n")
        }
    }

    @Test("Without a signed-in account a sign-out succeeds")
    func nobody() async throws {
        try await withTool { fixture in
            let result = try await fixture.run("logout")
            #expect(result.status == 0 && result.output.isEmpty && result.errors == "No account is signed in.\n")
            #expect(try await fixture.run("logout", "--all").status == 0)
            #expect(try await fixture.run("logout", "--json").output.contains(#""signedOut" : ["#))
            #expect(try await fixture.run("logout", "ada").status == 3)
        }
    }

    @Test("A session that could not be ended at its backend is one line, and no failure", arguments: ["work", "home"])
    func backendGone(provider: String) async throws {
        try await withTool { fixture in
            let signIn = provider == "work" ? fixture.signInAtThunderID : fixture.signIn
            let account = try await signIn().output.trimmingCharacters(in: .newlines)
            await (provider == "work" ? fixture.thunderID.stop() : fixture.insForge.stop())
            let result = try await fixture.run("logout")
            #expect(result.status == 0)
            let lines = result.errors.split(separator: "\n")
            #expect(lines.count == 2 && lines.contains { $0.hasPrefix("Signed out \(account)") }, "\(result.errors)")
            #expect(
                lines.contains { $0.hasPrefix("identity: The session of \(account) could not be ended at its backend") }
            )
            #expect(try await fixture.run("accounts", "--json").output == "[\n\n]\n")
        }
    }
}
