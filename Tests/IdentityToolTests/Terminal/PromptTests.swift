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
            let user = fixture.thunderID.user
            let result = try await fixture.run(
                "login", "--provider", "work", typing: ["1", user.username, user.password.reveal()])
            let parts = result.errors.components(separatedBy: "Username: ")
            #expect(parts.count == 3 && parts[0].contains("  1  ") && parts[0].contains("  2  "), "\(result)")
            #expect(result.output == "work/\(user.id)\n", "\(result)")
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
            let result = try await fixture.run(
                "login", typing: ["1", server.user.username, server.user.password.reveal()])
            let choice = result.errors.components(separatedBy: "Choose [1]: ")[0]
            #expect(choice.contains("  1  ") && choice.contains("  2  "), "\(result)")
            #expect(result.status == 0, "\(result)")
            await server.stop()
        }
    }

    @Test("What was begun to type when the browser came back is not typed into the shell")
    func begunLine() async throws {
        try await withTool { fixture in
            let terminal = try PseudoTerminal()
            let login = #""$0" login --provider any; echo over >&2; read -r rest; echo "read [$rest]""#
            let run = try ToolProcess.start(script: login, environment: fixture.environment, at: terminal)
            let page = try await terminal.page()
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
