import Foundation
import IdentityKit
import TestSupport
import Testing

/// Providers that need a variable which is not set.
@Suite(.endsInTime) struct MissingVariableTests {
    private func run(
        _ words: [String], _ providers: [JSONValue], _ variables: [String: String] = [:], in folder: TemporaryFolder
    ) async throws -> ToolProcess.Result {
        let file = folder.file("identity.json")
        let store: JSONValue = [
            "type": "file", "folder": .string(folder.file("state").path),
            "key": ["home": "keyFile", "path": .string(folder.file("state.key").path)],
        ]
        try JSONEncoder().encode(["store": store, "providers": .array(providers)] as JSONValue).write(to: file)
        return try await Tool.run(words, environment: ["IDENTITY_CONFIG": file.path].merging(variables) { $1 })
    }

    private static let reference: JSONValue = [
        "name": "ci", "type": "static-token", "settings": ["token": "${THE_TOKEN}"],
    ]
    private static let variable: JSONValue = [
        "name": "ci", "type": "environment-token", "settings": ["variable": "THE_TOKEN"],
    ]
    private static let other: JSONValue = ["name": "other", "type": "static-token", "settings": ["token": "given"]]

    @Test(
        "A command that needs the only provider names its variable, and asks nobody to sign in",
        arguments: [reference, variable],
        [
            ["token"], ["exec", "--", "true"], ["request", "https://api.example.com"], ["whoami"], ["login"],
            ["login", "--provider", "ci"], ["login", "--again"],
        ])
    func sole(provider: JSONValue, words: [String]) async throws {
        let folder = try TemporaryFolder()
        let result = try await run(words, [provider], in: folder)
        #expect(result.status == 78 && result.output.isEmpty, "\(words): \(result)")
        #expect(result.errors.contains("THE_TOKEN") && result.errors.contains("not set"), "\(result.errors)")
        #expect(!result.errors.contains("identity login"), "\(result.errors)")
    }

    @Test("What lists accounts and providers names the variable too")
    func listed() async throws {
        let folder = try TemporaryFolder()
        let explained = try await run(["explain"], [Self.variable], in: folder)
        #expect(explained.status == 0 && explained.output.contains("ci: not configured: THE_TOKEN is not set"))
        #expect(try await run(["explain"], [Self.reference], in: folder).errors.contains("THE_TOKEN"))
        let accounts = try await run(["accounts"], [Self.variable], in: folder)
        #expect(accounts.status == 0 && accounts.errors.contains("THE_TOKEN is not set"), "\(accounts.errors)")
        #expect(!accounts.errors.contains("identity login"), "\(accounts.errors)")
    }

    @Test("What SWIFT_IDENTITY_PROVIDER leaves out does not count")
    func excluded() async throws {
        let folder = try TemporaryFolder()
        let result = try await run(
            ["token"], [Self.variable, Self.other], ["SWIFT_IDENTITY_PROVIDER": "ci"], in: folder)
        #expect(result.status == 78 && result.errors.contains("THE_TOKEN is not set"), "\(result)")
    }

    @Test("Another provider that is named, and an account that was chosen, do without the variable")
    func elsewhere() async throws {
        let folder = try TemporaryFolder()
        let providers = [Self.reference, Self.other]
        #expect(try await run(["token"], providers, in: folder).status == 78)
        #expect(try await run(["login", "--provider", "other"], providers, in: folder).status == 0)
        #expect(try await run(["token"], providers, in: folder).output == "given\n")
    }
}
