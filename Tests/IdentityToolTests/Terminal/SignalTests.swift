import Foundation
import IdentityLocalServers
import TestSupport
import Testing

// A tool that waits for ever must not keep the other tests waiting.
@Suite(.endsInTime) struct SignalTests {
    @Test("A hangup ends the tool, but not under nohup", arguments: [true, false])
    func hangup(ignored: Bool) async throws {
        try await withTool { fixture in
            let terminal = try PseudoTerminal()
            let user = fixture.insForge.user
            let login = #"exec "$0" login --provider home --username \#(user.email)"#
            let run = try ToolProcess.start(
                script: (ignored ? "trap '' HUP; " : "") + login, environment: fixture.environment, at: terminal)
            await terminal.waits(for: "Password: ")
            run.send(SIGHUP)
            if ignored { terminal.type(user.password) }
            #expect(await run.finish().status == (ignored ? 0 : 129))
        }
    }

    @Test("Ctrl-\\ at a password ends the tool and leaves a clean terminal, and Ctrl-Z lets it go on without echo")
    func terminalSignals() async throws {
        try await withTool { fixture in
            let (user, terminal) = (fixture.insForge.user, try PseudoTerminal())
            let words = ["login", "--provider", "home", "--username", user.email]
            let run = try ToolProcess.Run(words, environment: fixture.environment, at: terminal)
            await terminal.waits(for: "Password: ")
            await terminal.hidesInput()
            run.send(SIGTSTP)
            await run.waitsUntilStopped()
            #expect(terminal.echoes)
            run.send(SIGCONT)
            await terminal.hidesInput()
            run.send(SIGQUIT)
            #expect(await run.finish().status == SIGQUIT)
            #expect(terminal.echoes)
        }
    }

    @Test(
        "A command that the tool becomes gets the signals as they were before the tool",
        arguments: [("HUP", true), ("HUP", false), ("INT", true), ("INT", false), ("TERM", false), ("PIPE", false)])
    func inherited(signal: String, ignored: Bool) async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let trap = ignored ? "trap '' \(signal); " : ""
            let script = trap + #"exec "$0" exec -- sh -c 'kill -\#(signal) $$; echo lives on'"#
            let result = try await ToolProcess.shell(script, environment: fixture.environment)
            #expect(result.output == (ignored ? "lives on\n" : ""), "\(result.errors)")
        }
    }
}
