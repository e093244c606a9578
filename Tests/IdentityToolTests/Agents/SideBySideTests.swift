import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// Programs that act for different accounts at the same time, while the session of each has expired.
@Suite(.endsInTime) struct SideBySideTests {
    private static let count = 6

    /// The person that a token is for, as it says itself.
    private static func subject(of token: some StringProtocol) -> String? {
        let parts = String(token).split(separator: ".")
        guard parts.count == 3 else { return nil }
        let text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: padded).flatMap { try? JSONValue(parsing: $0) }?["sub"]?.stringValue
    }

    @Test("Two terminals: each acts for its own account, whoever becomes active, and each session is refreshed once")
    func terminals() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let home = AccountID(account: fixture.insForge.user.id, realm: "home")
            #expect(try await fixture.signInAtThunderID().status == 0)
            try await fixture.changeSession(of: home, at: fixture.insForge.url) { $0.expiresAt = Date() - 1 }
            try await fixture.expireToken()

            let ask = "\"$0\" token || echo failed"
            let together = "for number in $(seq \(Self.count)); do { \"$0\" token || echo failed; } & done; wait"
            let first = try ToolProcess.start(
                script: "\(together); \(ask)",
                environment: fixture.environment.merging(["SWIFT_IDENTITY_ACCOUNT": fixture.thunderIDAccount.id]) { $1 }
            )
            let second = try ToolProcess.start(
                script: "\"$0\" switch home >/dev/null && \(together)", environment: fixture.environment)
            for (run, count, person) in [
                (first, Self.count + 1, fixture.thunderID.user.id), (second, Self.count, fixture.insForge.user.id),
            ] {
                let result = await run.finish()
                let tokens = result.output.split(separator: "\n")
                #expect(tokens.count == count && Set(tokens).count == 1, "\(result)")
                #expect(tokens.first.flatMap { Self.subject(of: $0) } == person)
            }
            #expect(fixture.thunderID.counters.refreshes == 1 && fixture.thunderID.counters.replays == 0)
            #expect(fixture.insForge.counters.refreshes == 1)
        }
    }

    @Test("Two servers: each sees the tokens of its own account, whoever is active, and each session is refreshed once")
    func servers() async throws {
        try await withTool { fixture in
            var servers: [MCPStandIn] = []
            for _ in 1...2 {
                servers.append(try await MCPStandIn.refusingFirstToken(of: fixture.openIDConnect.issuer))
            }
            for server in servers { try await fixture.signIn(toResource: server.address) }
            let script = """
                for server in $SERVERS; do
                    for number in $(seq \(Self.count)); do
                        { printf '%s' "$LINE" | "$0" mcp "$server" || echo failed; } &
                    done
                done
                wait
                """
            let variables = [
                "LINE": MCPLine.request(1, "ping"), "SERVERS": servers.map(\.address).joined(separator: " "),
            ]
            let result = try await ToolProcess.shell(
                script, environment: fixture.environment.merging(variables) { $1 })
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == Self.count * 2 && Set(lines).count == 1, "\(result)")
            #expect(try result.messages()[1]?["result"]?["did"] == "ping")
            let seen = servers.map { Set($0.requests.map(\.bearerToken)) }
            // The one that was refused, and its successor.
            #expect(seen.allSatisfy { $0.count == 2 } && seen[0].isDisjoint(with: seen[1]))
            let counters = fixture.openIDConnect.counters
            #expect(counters.signIns == 2 && counters.refreshes == 2 && counters.replays == 0)
            for server in servers { await server.http.stop() }
        }
    }
}
