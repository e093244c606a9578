import Foundation
import IdentityKit
import TestSupport
import Testing

/// `identity providers TYPE`.
@Suite(.endsInTime) struct SettingsOfTypeTests {
    private func run(_ words: String..., columns: Int? = nil) async throws -> ToolProcess.Result {
        var environment = ["XDG_CONFIG_HOME": MissingPath.make()]
        environment["COLUMNS"] = columns.map(String.init)
        return try await Tool.run(["providers"] + words, environment: environment)
    }

    @Test("The settings of a type are listed without a configuration: type, default, meaning, example")
    func listed() async throws {
        let result = try await run("thunderid")
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.components(separatedBy: "\n")
        let place = try #require(lines.firstIndex { $0.hasPrefix("signIn  ") })
        #expect(lines[place] == "signIn  one of \"native\", \"redirect\", \"message\"")
        #expect(lines[place...].contains("  Default: \"native\""))
        #expect(lines[place...].contains("  Example: \"redirect\""))
        #expect(lines.contains("baseURL  text, required"))
    }

    @Test("Prose stays within the terminal's width", arguments: [40, 80, 300])
    func width(columns: Int) async throws {
        for type in ["oauth2", "keycloak", "file"] {
            let prose = try await run(type, columns: columns).output
                .components(separatedBy: "\n\nA complete configuration")[0].split(separator: "\n")
                .filter { !$0.hasPrefix("  Example: ") && !$0.hasPrefix("  Default: ") }
                // A key path is one word, however long.
                .filter { $0.trimmingPrefix("  ").contains(" ") }
            #expect(prose.count > 5 && prose.allSatisfy { $0.count <= min(columns, 80) }, "\(prose)")
        }
    }

    @Test("A complete configuration is among the output, and the check accepts it", arguments: ["thunderid", "file"])
    func example(type: String) async throws {
        let output = try await run(type, "--json").output
        let example = try #require(try JSONValue(parsing: Data(output.utf8))["example"])
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("identity-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONEncoder().encode(example).write(to: file)
        let check = try await Tool.run("config", "check", file.path)
        #expect(check.status == 0, "\(check.errors)")
    }

    @Test("A preset names its parameters and its base type, a store type its members")
    func kinds() async throws {
        let keycloak = try await run("keycloak").output
        #expect(keycloak.contains("\nrealm  text, required\n"))
        #expect(keycloak.contains("identity providers openid-connect"))
        #expect(try await run("postgres").output.contains("\nmaximumConnections  number from 1 to 1000\n"))
        let types = try await run("--types").output
        #expect(types.contains("keychain  store\n") && types.contains("thunderid  provider, needs baseURL\n"))
    }

    @Test("A misspelt type is a mistake of the command line, with the right spelling")
    func misspelt() async throws {
        let result = try await run("openid-conect")
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.contains("Did you mean \"openid-connect\"?"), "\(result.errors)")
        #expect(try await run("thunderid", "--known").status == 64)
    }
}
