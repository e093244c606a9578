import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// Accounts without a session in the store, such as guests.
@Suite(.endsInTime) struct GivenAccountTests {
    /// Writes a configuration with these providers.
    /// - Returns: its file.
    private func configure(_ providers: JSONValue..., in folder: TemporaryFolder) throws -> String {
        let file = folder.file("identity.json")
        let store: JSONValue = [
            "type": "file", "folder": .string(folder.file("state").path),
            "key": ["home": "keyFile", "path": .string(folder.file("state.key").path)],
        ]
        try JSONEncoder().encode(["store": store, "providers": .array(providers)] as JSONValue).write(to: file)
        return file.path
    }

    @Test("A workload without a token is configured, and not signed in")
    func workload() async throws {
        var rules = LocalOpenIDConnectServer.Configuration()
        rules.clients = [LocalOpenIDConnectServer.Client(id: "job", authentication: .basic("a secret"))]
        let server = try await LocalOpenIDConnectServer.start(configuration: rules)
        let folder = try TemporaryFolder()
        let machine: [String: JSONValue] = [
            "name": "machine", "type": "workload",
            "settings": [
                "issuer": .string(server.issuer), "allowsLoopbackHTTP": true, "clientID": "job",
                "clientSecret": "a secret",
            ],
        ]
        let token: JSONValue = ["name": "ci", "type": "environment-token", "settings": ["variable": "CI_TOKEN"]]
        let file = try configure(.object(machine), token, in: folder)
        func run(_ words: String...) async throws -> ToolProcess.Result {
            try await Tool.run(words, environment: ["IDENTITY_CONFIG": file, "CI_TOKEN": "given"])
        }
        #expect(try await run("whoami").output == "machine/job  configured: it has no token so far\n")
        let row = try JSONValue(parsing: Data(try await run("whoami", "--json").output.utf8))
        #expect(row["state"] == "configured" && row["account"] == "machine/job")
        #expect(try await run("accounts").output.contains("* machine/job  configured: "))
        #expect(try await run("explain").output.contains("machine: configured as machine/job, without a token so far"))
        let report = try JSONValue(parsing: Data(try await run("explain", "--json").output.utf8))
        #expect(report["attempts"]?.arrayValue?.first?["outcome"] == "configured")
        #expect(server.http.log.isEmpty)
        // A look-up asks for the workload's token first where the next provider may stand in.
        let other = try TemporaryFolder()
        let lenient = machine.merging(["fallsBackWhenUnavailable": true]) { $1 }
        let lenientFile = try configure(.object(lenient), token, in: other)
        await server.stop()
        let result = try await Tool.run(["token"], environment: ["IDENTITY_CONFIG": lenientFile, "CI_TOKEN": "given"])
        #expect(result.status == 0 && result.output == "given\n", "\(result)")
        #expect(try await run("token").status == 5)
        // A sign-in without a token leaves the active account.
        #expect(try await run("login", "--provider", "ci").status == 0)
        #expect(try await run("login", "--provider", "machine").status == 5)
        #expect(try await run("whoami").output.hasPrefix("ci/ci"))
    }

    @Test("A token of the environment that is not used, because another account was chosen, is told")
    func unusedToken() async throws {
        let folder = try TemporaryFolder()
        let file = try configure(
            ["name": "ci", "type": "environment-token", "settings": ["variable": "CI_TOKEN"]],
            ["name": "other", "type": "static-token", "settings": ["token": "given"]], in: folder)
        func run(_ words: String..., token: String = "t") async throws -> ToolProcess.Result {
            try await Tool.run(words, environment: ["IDENTITY_CONFIG": file, "CI_TOKEN": token])
        }
        #expect(try await run("login", "--provider", "other").status == 0)
        let reason = "CI_TOKEN is set, and ci is not used, because other/other is the chosen account."
        #expect(try await run("whoami").errors == "identity: \(reason)\n")
        #expect(try await run("explain").output.hasSuffix("not used: \(reason)\n"))
        for words in ["whoami", "explain"] {
            let document = try JSONValue(parsing: Data(try await run(words, "--json").output.utf8))
            #expect(document["unusedTokens"] == [["provider": "ci", "variable": "CI_TOKEN"]], "\(document)")
        }
        #expect(try await run("whoami", token: "").errors.isEmpty)
        #expect(try await run("explain", token: "").output.contains("not used") == false)
        #expect(try await run("login", "--provider", "ci").status == 0)
        #expect(try await run("whoami").errors.isEmpty)
    }

    @Test("A guest is listed while they are active, as they are shown elsewhere")
    func guest() async throws {
        let folder = try TemporaryFolder()
        let file = try configure(["name": "guest", "type": "anonymous", "settings": [:]], in: folder)
        func run(_ words: String...) async throws -> ToolProcess.Result {
            try await Tool.run(words, environment: ["IDENTITY_CONFIG": file])
        }
        let shown = try await run("whoami").output.trimmingCharacters(in: .newlines)
        #expect(shown.hasPrefix("guest/"))
        for words in [["accounts"], ["accounts", "--limit", "1"], ["accounts", "--limit", "3"]] {
            let list = try await Tool.run(words, environment: ["IDENTITY_CONFIG": file])
            #expect(list.status == 0 && list.output == "* \(shown)  given\n" && list.errors.isEmpty, "\(words)")
        }
        let rows = try JSONValue(parsing: Data(try await run("accounts", "--json").output.utf8))
        #expect(rows.arrayValue?.map { $0["account"] } == [.string(shown)])
    }
}
