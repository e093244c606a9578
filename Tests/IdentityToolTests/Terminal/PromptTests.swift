import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The questions of a sign-in as a person sees them.
@Suite(.endsInTime) struct PromptTests {
    @Test("The first way of a step is numbered like the others, and its number asks again")
    func ways() async throws {
        try await withTool { fixture in
            let (run, terminal) = try fixture.start("login", "--provider", "work")
            let user = fixture.thunderID.user
            await terminal.waits(for: "Username: ")
            #expect(terminal.text.contains("  1  ") && terminal.text.contains("  2  "), "\(terminal.text)")
            terminal.type("1")
            await terminal.answers("Username: ", with: user.username)
            await terminal.answers("Password: ", with: user.password.reveal())
            #expect(await run.finish().output == "work/\(user.id)\n", "\(terminal.text)")
        }
    }

    @Test("A chooser numbers all of its ways")
    func chooser() async throws {
        try await withTool { fixture in
            let server = try await LocalThunderIDServer.start(
                configuration: LocalThunderIDServer.Configuration {
                    $0.signIn = LocalThunderIDServer.SignInFlow(methods: [.password, .oneTimeCode(.email)])
                })
            try fixture.configure(
                ProviderConfiguration(
                    name: "work", type: "thunderid",
                    settings: [
                        "baseURL": .string(server.url.absoluteString), "allowsLoopbackHTTP": true,
                        "clientID": .string(server.application.clientID),
                        "redirectURI": .string(server.application.redirectURIs.first ?? ""),
                    ]))
            let (run, terminal) = try fixture.start("login")
            await terminal.waits(for: "Choose [1]: ")
            #expect(terminal.text.contains("  1  ") && terminal.text.contains("  2  "), "\(terminal.text)")
            terminal.type("1")
            await terminal.answers("Username: ", with: server.user.username)
            await terminal.answers("Password: ", with: server.user.password.reveal())
            #expect(await run.finish().status == 0, "\(terminal.text)")
            await server.stop()
        }
    }

    @Test("What was begun to type when the browser came back is not typed into the shell")
    func begunLine() async throws {
        try await withTool { fixture in
            let terminal = try PseudoTerminal()
            let login = #""$0" login --provider any; echo over >&2; read -r rest; echo "read [$rest]""#
            let run = try ToolProcess.start(script: login, environment: fixture.environment, at: terminal)
            await terminal.waits(for: "scope=")
            await terminal.waits(for: "\n")
            let words = terminal.text.split(whereSeparator: \.isWhitespace)
            let page = try #require(words.first { $0.hasPrefix("http://") }.flatMap { URL(string: String($0)) })
            await terminal.waits(for: "paste the address")
            terminal.press("begun")
            await terminal.waits(for: "begun")
            let user = fixture.openIDConnect.user
            let callback = try await ScriptedLogin(username: user.username, password: user.password).signIn(at: page)
            _ = try await DefaultTransport.make().data(for: URLRequest(url: callback))
            await terminal.waits(for: "over")
            terminal.type("")
            #expect(await run.finish().output.hasSuffix("\nread []\n"), "\(terminal.text)")
        }
    }

    @Test("Ctrl-C at a question ends its line")
    func endsLine() async throws {
        try await withTool { fixture in
            let (run, terminal) = try fixture.start("login", "--provider", "work")
            await terminal.waits(for: "Username: ")
            run.interrupt()
            #expect(await run.finish().status == 130)
            #expect(terminal.text.hasSuffix("Username: \r\n"), "\(terminal.text)")
        }
    }
}
