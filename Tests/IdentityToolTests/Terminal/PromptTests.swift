import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

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
}
