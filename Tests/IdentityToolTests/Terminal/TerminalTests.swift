import Foundation
import IdentityKit
import TestSupport
import Testing

/// Every command as a person runs it: input, output and errors at one terminal.
// A tool that waits for ever must not keep the other tests waiting.
@Suite(.endsInTime) struct TerminalTests {
    /// A command that ends by itself, and something that it shows.
    struct Command: Sendable {
        let words: [String]
        let shows: String
        var status: Int32 = 0

        init(_ words: String..., shows: String, status: Int32 = 0) {
            (self.words, self.shows, self.status) = (words, shows, status)
        }
    }

    @Test("Every command does its work at a terminal, and nothing secret stays on the screen")
    func commands() async throws {
        try await withTool { fixture in
            let user = fixture.insForge.user
            let login = try PseudoTerminal()
            let signIn = try ToolProcess.Run(
                ["login", "--provider", "home"], environment: fixture.environment, at: login, showsOutput: true)
            await login.answers(": ", with: user.email)
            await login.answers("Password: ", with: user.password)
            #expect(await signIn.finish().status == 0)
            #expect(login.text.contains("Signed in with home as ") && !login.text.contains(user.password))

            let (file, folder) = (fixture.configurationFile.path, fixture.folder.path)
            let account = "home/\(user.id)"
            let backend = fixture.insForge.url.absoluteString
            for command in [
                Command("whoami", shows: account), Command("accounts", shows: account),
                Command("switch", account, shows: account), Command("token", shows: "eyJ"),
                Command("exec", "--", "sh", "-c", "echo ${#SWIFT_IDENTITY_TOKEN}", shows: "\n"),
                Command("request", "\(backend)/api/auth/sessions/current", shows: user.email),
                Command("providers", shows: "home"), Command("explain", shows: "home"),
                Command("config", "check", file, shows: "can be used"), Command("config", "schema", shows: "$schema"),
                Command(
                    "config", "init", "--config", "\(folder)/new.json", "--type", "insforge", "--set",
                    "baseURL=https://example.insforge.app", shows: "new.json"),
                Command(
                    "init", backend, "--config", "\(folder)/init.json", "--store", "\(folder)/init", "--no-login",
                    shows: "init.json"),
                Command("doctor", shows: "store"), Command("completion", "bash", shows: "whoami"),
                Command("manual", shows: "EXIT STATUS"), Command("demo", shows: "1"),
                Command("plugin", "new", "Acme", "--folder", "\(folder)/acme", shows: "Acme"),
                Command("logout", shows: "Signed out"), Command("logout", "--all", shows: ""),
                Command("token", shows: "identity login", status: 3), Command("--help", shows: "EXAMPLES"),
            ] {
                let terminal = try PseudoTerminal()
                let run = try ToolProcess.Run(
                    command.words, environment: fixture.environment, at: terminal, showsOutput: true)
                #expect(await run.finish().status == command.status, "\(command.words)")
                #expect(terminal.text.contains(command.shows) || command.shows.isEmpty, "\(command): \(terminal.text)")
                #expect(!terminal.text.contains(user.password) && !terminal.text.contains("\u{1B}"), "\(command.words)")
            }
        }
    }

    @Test("What goes on until Ctrl-C shows what it does", arguments: ["events", "serve"])
    func untilInterrupted(command: String) async throws {
        try await withTool { fixture in
            let terminal = try PseudoTerminal()
            let run = try ToolProcess.Run(
                [command], environment: fixture.environment, at: terminal, showsOutput: true)
            await terminal.waits(for: "Press Ctrl-C")
            run.interrupt()
            #expect(await run.finish().status == 0)
        }
    }
}
