import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// Commands that give other programs a token.
extension CommandScenario {
    static let agents: [CommandScenario] = [
        CommandScenario(
            "seq 16 | xargs -P 16 -I{} identity token | sort -u | wc -l", needs: [.program("xargs")]
        ) { stage in
            #expect(try await stage.fixture.signInAtThunderID().status == 0)
            try await stage.fixture.expireToken()
            let result = try await stage.run("seq 16 | xargs -P 16 -I{} identity token | sort -u | wc -l")
            #expect(result.output.trimmingCharacters(in: .whitespacesAndNewlines) == "1", "\(result)")
            let counters = stage.fixture.thunderID.counters
            #expect(counters.refreshes == 1 && counters.replays == 0)
        },
        CommandScenario(
            "seq 8 | xargs -P 8 -I{} sh -c 'identity mcp notes <ping.json' | sort -u", needs: [.program("xargs")]
        ) { stage in
            let server = try await MCPStandIn.refusingFirstToken(of: stage.fixture.openIDConnect.issuer)
            try await stage.fixture.signIn(toResource: server.address)
            try stage.file("ping.json", MCPLine.request(1, "ping"))
            let result = try await stage.run("seq 8 | xargs -P 8 -I{} sh -c 'identity mcp notes <ping.json' | sort -u")
            #expect(result.output.split(separator: "\n").count == 1, "\(result)")
            #expect(try result.messages()[1]?["result"]?["did"] == "ping", "\(result)")
            let counters = stage.fixture.openIDConnect.counters
            #expect(counters.refreshes == 1 && counters.replays == 0)
            #expect(server.requests.count > 8)
            await server.http.stop()
        },
        CommandScenario(
            "git config --global credential.helper '!identity git-credential'", needs: [.program("git")]
        ) { stage in
            let server = try await LocalHTTPServer.start { _ in LocalResponse(status: 404) }
            try await stage.fixture.nameWithSession(server.url)
            let line = "git config --global credential.helper '!identity git-credential'"
            #expect(try await stage.run(line).status == 0)
            let place = "protocol=http\\nhost=127.0.0.1:\(server.url.port ?? 0)\\n\\n"
            let filled = try await stage.prepare("printf '\(place)' | GIT_TERMINAL_PROMPT=0 git credential fill")
            #expect(filled.output.contains("password=token-of-ada\n"), "\(filled.errors)")
            await server.stop()
        },
        CommandScenario("identity exec --token-file --variable TOKEN_FILE -- ./sync.sh") { stage in
            let token = try await stage.signedIn()
            try stage.file("sync.sh", "#!/bin/sh\ncat \"$TOKEN_FILE\"\n", mode: 0o700)
            let result = try await stage.run("identity exec --token-file --variable TOKEN_FILE -- ./sync.sh")
            #expect(result.output == token, "\(result.errors)")
        },
        CommandScenario("identity mcp https://notes.example.com/mcp", needs: [.hosts]) { stage in
            let server = try await MCPStandIn.start()
            let address = try #require(URL(string: "https://notes.example.com/mcp"))
            try await stage.host([address.absoluteString: try #require(URL(string: server.address))])
            try stage.fixture.configure(
                ProviderConfiguration(
                    name: "notes", type: "protected-resource",
                    settings: ["resource": .string(address.absoluteString)]))
            try await stage.fixture.keep(AccountID(account: "ada", realm: "notes"), at: address)
            try stage.file("messages", MCPLine.request(1, "ping"))
            let result = try await stage.run("identity mcp https://notes.example.com/mcp", after: "exec <messages")
            #expect(try result.messages()[1]?["result"]?["did"] == "ping", "\(result)")
            await server.http.stop()
        },
    ]
}
