import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Several processes of `identity mcp` at once, as several programs start them, with nothing configured: eight by default, 64
/// with `SWIFT_IDENTITY_FULL_TESTS=1`.
@Suite(.endsInTime) struct MCPSignInTests {
    private static let count = ProcessInfo.processInfo.environment["SWIFT_IDENTITY_FULL_TESTS"] == "1" ? 64 : 8
    private static let waits = "Another process is to show the sign-in."

    /// Processes that have one terminal, a client each with one request, and the same server.
    private struct Bridges {
        let run: ToolProcess.Run
        let terminal: PseudoTerminal
        let configuration: URL

        init(_ count: Int, of fixture: ToolFixture, to server: MCPStandIn) throws {
            configuration = fixture.folder.appendingPathComponent("new/identity.json")
            terminal = try PseudoTerminal()
            let script = """
                for number in $(seq \(count)); do
                    { printf '%s' "$LINE" | "$0" mcp "$SERVER" --config "$FILE" || echo failed; } &
                done
                wait
                """
            let variables = [
                "LINE": MCPLine.request(1, "ping"), "SERVER": server.address, "FILE": configuration.path,
            ]
            run = try ToolProcess.start(
                script: script, environment: fixture.environment.merging(variables) { $1 }, at: terminal)
        }

        /// The page that one of them shows, once so many others wait for it.
        func page(awaitedBy count: Int) async throws -> URL {
            for _ in 0..<500 {
                let text = terminal.text
                if let page = text.firstMatch(of: /(http:\/\/\S*scope=\S*)\s/)?.1, text.count(of: waits) == count {
                    return try #require(URL(string: String(page)))
                }
                await terminal.waits(for: "\n")
            }
            return try #require(nil, "\(terminal.text)")
        }

        /// Signs in, or refuses to.
        func signIn(_ fixture: ToolFixture, allows: Bool, awaitedBy count: Int) async throws {
            let user = fixture.openIDConnect.user
            let callback = try await ScriptedLogin(username: user.username, password: user.password, allows: allows)
                .signIn(at: try await page(awaitedBy: count))
            _ = try await DefaultTransport.make().data(for: URLRequest(url: callback))
        }
    }

    @Test("Many at once show one page, and refresh a token that the server refuses once")
    func together() async throws {
        try await withTool { fixture in
            let server = try await MCPStandIn.refusingFirstToken(of: fixture.openIDConnect.issuer)
            let bridges = try Bridges(Self.count, of: fixture, to: server)
            try await bridges.signIn(fixture, allows: true, awaitedBy: Self.count - 1)
            let result = await bridges.run.finish()
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.count == Self.count && Set(lines).count == 1, "\(result.output)\n\(bridges.terminal.text)")
            #expect(try result.messages()[1]?["result"]?["did"] == "ping")
            #expect(bridges.terminal.text.count(of: "Open this page") == 1)
            let counters = fixture.openIDConnect.counters
            #expect(counters.signIns == 1 && counters.registrations == 1 && counters.refreshes == 1)
            #expect(counters.replays == 0)
            let providers = try IdentityConfiguration(contentsOf: bridges.configuration).providers.map(\.name)
            #expect(providers == ["notes"])

            // Who is signed in already is asked nothing.
            let again = try await fixture.run(
                "mcp", "notes", "--config", bridges.configuration.path, input: MCPLine.request(1, "ping"))
            #expect(again.status == 0 && again.errors.isEmpty, "\(again)")
            await server.http.stop()
        }
    }

    @Test("Whoever refuses the one page is asked by none of the others")
    func refused() async throws {
        try await withTool { fixture in
            let server = try await MCPStandIn.start(issuer: fixture.openIDConnect.issuer)
            let bridges = try Bridges(3, of: fixture, to: server)
            try await bridges.signIn(fixture, allows: false, awaitedBy: 2)
            let result = await bridges.run.finish()
            #expect(result.output == "failed\nfailed\nfailed\n", "\(bridges.terminal.text)")
            #expect(bridges.terminal.text.count(of: "Open this page") == 1)
            #expect(bridges.terminal.text.count(of: "nobody is signed in") == 2)
            #expect(!FileManager.default.fileExists(atPath: bridges.configuration.path))
            #expect(server.requests.isEmpty)
            await server.http.stop()
        }
    }
}
