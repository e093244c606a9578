import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// What every command says is searched for the secrets that it has to do with.
@Suite(.endsInTime) struct SecretOutputTests {
    /// Short enough that no rule about long words hides it.
    private static let secretOfClient = "Walnut-1998-Desk"

    private static let commands = [
        "login", "-v login", "token", "-v token", "token --fresh", "whoami", "accounts", "accounts --json", "providers",
        "explain", "explain --json", "doctor", "-v doctor", "exec -- true", "config check", "switch nobody",
        "request http://127.0.0.1:1/", "logout", "logout --all", "erase --yes",
    ]

    /// Runs every command, and finds none of `secrets` in what it prints.
    private func expectNone(of secrets: [String], in fixture: ToolFixture) async throws {
        for command in Self.commands {
            let result = try await fixture.run(line: command)
            // A token is what these are for.
            let isTokens = result.status == 0 && command.contains("token")
            let said = result.errors + (isTokens ? "" : result.output)
            for secret in secrets { #expect(!said.contains(secret), "\(command): \(said)") }
            #expect(!result.errors.contains("eyJ"), "\(command): \(result.errors)")
        }
    }

    @Test(
        "A client's secret that a server repeats is not shown, wherever it stands in the error",
        arguments: [("invalid_client", 401), ("invalid_grant", 400), (Self.secretOfClient, 400), ("server_error", 500)])
    func clientSecret(code: String, status: Int) async throws {
        let base = Locked("")
        let server = try await LocalHTTPServer.start { request in
            guard request.path != "/token" else {
                return .json(
                    [
                        "error": .string(code),
                        "error_description": .string("Wrong secret \(Self.secretOfClient)! (\(Self.secretOfClient))"),
                        "error_uri": .string("https://id.example.com/\(Self.secretOfClient)"),
                    ], status: status)
            }
            let issuer = base.withLock { $0 }
            return .json([
                "issuer": .string(issuer), "token_endpoint": .string(issuer + "/token"),
                "authorization_endpoint": .string(issuer + "/authorize"), "jwks_uri": .string(issuer + "/keys"),
            ])
        }
        base.withLock { $0 = server.url.absoluteString }
        try await withTool { fixture in
            try fixture.configure(
                ProviderConfiguration(
                    name: "machine", type: "workload",
                    settings: [
                        "issuer": .string(server.url.absoluteString), "allowsLoopbackHTTP": true, "clientID": "reports",
                        "clientSecret": .string(Self.secretOfClient),
                    ]))
            try await expectNone(of: [Self.secretOfClient], in: fixture)
        }
        #expect(server.log.contains { $0.path == "/token" })
        await server.stop()
    }

    @Test("Tokens and passwords of sessions are shown by no command but those that print tokens")
    func sessions() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            #expect(try await fixture.signInAtThunderID().status == 0)
            let access = try await fixture.run("token").output.trimmingCharacters(in: .newlines)
            var refresh: String?
            try await fixture.changeSession { refresh = $0.refreshToken?.reveal() }
            let secrets = [
                access, try #require(refresh), fixture.insForge.user.password, fixture.thunderID.user.password.reveal(),
            ]
            try await expectNone(of: secrets, in: fixture)
        }
    }
}
