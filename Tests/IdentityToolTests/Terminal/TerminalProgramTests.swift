import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// A program of one's own that signs in at a terminal, with nothing but the library.
@Suite(.endsInTime) struct TerminalProgramTests {
    private static func program() throws -> URL {
        try ToolProcess.executable.deletingLastPathComponent().appendingPathComponent("store-probe")
    }

    private func start(
        _ fixture: ToolFixture, with provider: String, adding settings: [String: JSONValue] = [:],
        _ more: String..., at terminal: PseudoTerminal
    ) throws -> ToolProcess.Run {
        var configuration = fixture.configuration
        configuration.store = .memory
        configuration.providers = configuration.providers.filter { $0.name == provider }
        for (name, value) in settings {
            var all = configuration.providers[0].settings.objectValue ?? [:]
            all[name] = value
            configuration.providers[0].settings = .object(all)
        }
        let document = String(decoding: try JSONEncoder().encode(configuration), as: UTF8.self)
        return try ToolProcess.Run(
            ["do=sign-in-at-terminal", "configuration=\(document)"] + more,
            environment: fixture.environment, of: Self.program(), at: terminal)
    }

    @Test("Questions are asked and answered, and a password is not shown")
    func questions() async throws {
        try await withTool { fixture in
            let (user, terminal) = (fixture.thunderID.user, try PseudoTerminal())
            let run = try start(fixture, with: "work", at: terminal)
            await terminal.answers("Username: ", with: user.username)
            await terminal.waits(for: "Password: ")
            await terminal.hidesInput()
            terminal.type("mistyped")
            await terminal.answers("Username: ", with: user.username)
            await terminal.answers("Password: ", with: user.password.reveal())
            let result = await run.finish()
            #expect(result.status == 0 && result.output == "signed in work/\(user.id)\n", "\(terminal.text)")
            #expect(!terminal.text.contains(user.password.reveal()) && !terminal.text.contains("mistyped"))
        }
    }

    @Test("A code for another device is shown with a picture and the time that is left")
    func device() async throws {
        try await withTool { fixture in
            let terminal = try PseudoTerminal()
            let run = try start(fixture, with: "any", adding: ["signIn": "device"], at: terminal)
            await terminal.waits(for: "▀")
            let words = terminal.text.split(whereSeparator: \.isWhitespace)
            let page = try #require(words.first { $0.hasPrefix("http://") }.flatMap { URL(string: String($0)) })
            let code = try #require(words.firstIndex(of: "code").map { String(words[$0 + 1]) })
            await terminal.waits(for: "The code expires in ")
            let user = fixture.openIDConnect.user
            try await ScriptedLogin(username: user.username, password: user.password, allows: true)
                .decideOnDevice(at: page, userCode: code)
            let result = await run.finish()
            #expect(result.status == 0 && result.output.hasPrefix("signed in any/"), "\(terminal.text)")
        }
    }

    @Test(
        "A signal at a hidden question leaves the terminal as it was, and does what it does in the program otherwise",
        arguments: [("catches=nothing", Int32(2)), ("catches=interrupts", 9)])
    func interrupted(catches: String, status: Int32) async throws {
        try await withTool { fixture in
            let terminal = try PseudoTerminal()
            let run = try start(fixture, with: "work", catches, at: terminal)
            await terminal.answers("Username: ", with: fixture.thunderID.user.username)
            await terminal.waits(for: "Password: ")
            await terminal.hidesInput()
            run.interrupt()
            #expect(await run.finish().status == status)
            #expect(terminal.echoes)
        }
    }

    @Test("Ctrl-Z at a hidden question leaves the terminal as it was, and nothing typed after that is shown")
    func stopped() async throws {
        try await withTool { fixture in
            let (user, terminal) = (fixture.thunderID.user, try PseudoTerminal())
            let run = try start(fixture, with: "work", at: terminal)
            await terminal.answers("Username: ", with: user.username)
            await terminal.waits(for: "Password: ")
            for _ in 0..<2 {
                await terminal.hidesInput()
                run.send(SIGTSTP)
                await run.waitsUntilStopped()
                #expect(terminal.echoes)
                run.send(SIGCONT)
            }
            await terminal.hidesInput()
            terminal.type(user.password.reveal())
            let result = await run.finish()
            #expect(result.output == "signed in work/\(user.id)\n" && terminal.echoes, "\(terminal.text)")
            #expect(!terminal.text.contains(user.password.reveal()))
        }
    }
}
