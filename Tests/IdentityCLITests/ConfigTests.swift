import Foundation
import IdentityKit
import Testing

@Suite struct ConfigTests {
    private func check(
        _ text: String, _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> IdentityTool.Result {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("identity-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        let run = try IdentityTool.Run(["config", "check", file.path] + arguments, environment: environment)
        return await run.finish()
    }

    @Test("A good file is told in words, without a secret, profile by profile")
    func good() async throws {
        let text = """
            {"defaultProfile": "one", "profiles": {
              "one": {"providers": [
                {"name": "home", "type": "insforge", "fallsBackWhenUnavailable": true,
                 "settings": {"baseURL": "https://example.insforge.app", "anonKey": "planted-secret"}},
                {"name": "script", "type": "static-token", "settings": {"token": "${SCRIPT_TOKEN}"}}]},
              "two": {"providers": [{"name": "guest", "type": "anonymous", "settings": {}}]}
            }}
            """
        let result = try await check(text, environment: ["SCRIPT_TOKEN": "another-secret"])
        #expect(result.status == 0)
        for fact in [
            "profile one", "1. home (insforge)", "baseURL: https://example.insforge.app", "anonKey: <redacted>",
            "while this one cannot be reached", "2. script (static-token)", "token: ${SCRIPT_TOKEN}", "profile two",
        ] { #expect(result.output.contains(fact), "\(fact)") }
        #expect(!result.output.contains("-secret"))
    }

    @Test(
        "A mistake is one line that names the key path",
        arguments: [
            (#"{"providers": [{"name": "a", "type": "insforge", "settings": {}}]}"#, "providers[0].settings.baseURL"),
            (#"{"providers": [{"name": "a", "type": "acme", "settings": {}}]}"#, "not registered"),
            (
                #"{"providers": [{"name": "a", "type": "static-token", "settings": {"token": "${NO_SUCH}"}}]}"#,
                "NO_SUCH"
            ),
            ("{", "neither JSON nor a property list"),
        ])
    func mistakes(text: String, expected: String) async throws {
        let result = try await check(text)
        #expect(result.status == 1)
        #expect(result.output.contains("✘") && result.output.contains(expected))
    }

    @Test("Types the tool does not know can be accepted")
    func unknownTypes() async throws {
        let text = #"{"providers": [{"name": "a", "type": "acme", "settings": {"x": 1}}]}"#
        #expect(try await check(text, "--allow-unknown-types").status == 0)
    }

    @Test("The schema is a JSON document that knows the tool's provider types")
    func schema() async throws {
        let result = try await IdentityTool.run("config", "schema")
        let types = try JSONValue(parsing: Data(result.output.utf8))["$defs"]?["provider"]?["properties"]?["type"]?[
            "enum"]
        for type in ["thunderid", "insforge", "openid-connect", "static-token"] {
            #expect(types?.arrayValue?.contains(.string(type)) == true, "\(type)")
        }
    }
}
