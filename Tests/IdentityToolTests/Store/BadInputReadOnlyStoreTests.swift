import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// A store on a disk that can only be read: what reads works, what writes says so and changes nothing.
// A tool that waits for ever must not keep the other tests waiting.
@Suite(
    .endsInTime,
    .enabled("mounts cannot be changed here") { await StoreMount.isPossible() })
struct BadInputReadOnlyStoreTests {
    @Test("Commands that read print what they print elsewhere", arguments: [true, false])
    func reading(hasChoice: Bool) async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let commands = ["token", "whoami", "accounts --json", "providers", "exec -- printenv SWIFT_IDENTITY_TOKEN"]
            var expected: [String] = []
            for command in commands { expected.append(try await fixture.run(line: command).output) }
            // Who is active was never written down, or was forgotten with the account that was.
            if !hasChoice {
                try FileManager.default.removeItem(
                    at: fixture.folder.appendingPathComponent("state/identity/current-accounts"))
            }
            for (command, output) in zip(commands, expected) {
                let result = try await fixture.readOnly(command)
                #expect(result.status == 0 && result.output == output, "\(command): \(result.errors)")
            }
            let answered = try await fixture.readOnly("request \(fixture.insForge.url)/api/auth/sessions/current")
            #expect(answered.status == 0 && answered.output.contains(fixture.insForge.user.email))
            let explained = try await fixture.readOnly("explain")
            let active = explained.output.split(separator: "\n").last { $0.contains("active: ") }
            #expect(
                explained.status == 0 && active?.contains(fixture.insForge.user.email) == true, "\(explained.output)")
            // The other commands do not read the choice.
            guard hasChoice else { return }
            #expect(try await fixture.readOnly("config check '\(fixture.configurationFile.path)'").status == 0)

            let terminal = try PseudoTerminal()
            let events = try ToolProcess.start(
                script: StoreMount.readOnly.script("events"), environment: fixture.environment, at: terminal)
            await terminal.waits(for: "Press Ctrl-C")
            events.interrupt()
            #expect(await events.finish().status == 0, "\(terminal.text)")
        }
    }

    @Test("Commands that write are one line that says what and why, and 1")
    func writing() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            #expect(try await fixture.signIn().status == 0)
            let user = fixture.insForge.user
            let accounts = try await fixture.run("accounts", "--json").output
            for command in [
                "login --provider home --username \(user.email) --password-stdin <<< '\(user.password)'",
                "switch work", "logout", "logout work", "logout --all",
            ] {
                let result = try await fixture.readOnly(command)
                expectOneLine(result, status: 1, of: command)
                #expect(
                    result.errors.contains("The token store cannot be written at \(fixture.folder.path)")
                        && result.errors.contains("Read-only file system"), "\(command): \(result.errors)")
                #expect(!result.errors.contains(user.password), "\(command)")
                #expect(try await fixture.run("accounts", "--json").output == accounts, "\(command)")
            }
        }
    }

    @Test("A token that must be refreshed is one line too, and the old one is not spent")
    func refreshing() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            try await fixture.expireToken()
            for command in ["token", "exec -- true", "request \(fixture.thunderID.url)"] {
                let result = try await fixture.readOnly(command)
                expectOneLine(result, status: 1, of: command)
                #expect(result.errors.contains("The token store cannot be written"), "\(command): \(result.errors)")
            }
            #expect(fixture.thunderID.counters.refreshes == 0)
            #expect(try await fixture.run("token").status == 0)
        }
    }

    @Test("The doctor says that nothing can be written, and what can be read")
    func doctor() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let result = try await fixture.readOnly("doctor --offline --json")
            #expect(result.status == 1)
            let findings = try JSONValue(parsing: Data(result.output.utf8)).arrayValue ?? []
            let bad = findings.filter { $0["verdict"] == "bad" }
            #expect(bad.map { $0["subject"] } == ["store"])
            #expect(bad.first?["detail"]?.stringValue?.contains("Read-only file system") == true)
            #expect(findings.contains { $0["subject"] == "sessions" && $0["detail"] == "1 can be read" })
        }
    }

    @Test("A store that is not there cannot be made: one line that says where")
    func missing() async throws {
        try await withTool { fixture in
            try FileManager.default.createDirectory(
                at: fixture.folder.appendingPathComponent("state"), withIntermediateDirectories: true)
            for command in ["whoami", "login --provider home < /dev/null"] {
                let result = try await fixture.readOnly(command)
                expectOneLine(result, status: 1, of: command)
                #expect(result.errors.contains("\(fixture.folder.path)/state/identity"), "\(result.errors)")
            }
        }
    }
}

extension ToolFixture {
    /// Runs a command where the store can only be read.
    fileprivate func readOnly(_ command: String) async throws -> ToolProcess.Result {
        try await shell(StoreMount.readOnly.script(command))
    }
}
