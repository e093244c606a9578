import Foundation
import IdentityKit
import TestSupport
import Testing

@Suite struct ConfigTests {
    private func check(
        _ text: String, _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> ToolProcess.Result {
        let folder = try TemporaryFolder()
        let file = folder.file("identity.json")
        try Data(text.utf8).write(to: file)
        return try await Tool.run(
            ["config", "check", file.path] + arguments,
            environment: ["HOME": folder.url.path, "XDG_STATE_HOME": ""].merging(environment) { $1 })
    }

    @Test("A good file is told in words, without a secret, profile by profile")
    func good() async throws {
        let text = """
            {"defaultProfile": "one", "profiles": {
              "one": {"providers": [
                {"name": "home", "type": "insforge", "fallsBackWhenUnavailable": true,
                 "settings": {"baseURL": "https://example.insforge.app", "anonKey": "planted-secret"}},
                {"name": "script", "type": "static-token", "settings": {"token": "${SCRIPT_TOKEN}"}},
                {"name": "half", "type": "static-token", "settings": {"token": "${SCRIPT_TOKEN}-secret"}}]},
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
            (#"{"providers": [{"name": "a", "type": "acme", "settings": {}}]}"#, "does not know"),
            (
                #"{"providers": [{"name": "a", "type": "static-token", "settings": {"token": "${NO_SUCH}"}}]}"#,
                "NO_SUCH"
            ),
            (
                #"{"providers": [{"name": "a", "type": "insforge", "settings": {"baseUrll": "https://a.example"}}]}"#,
                #"providers[0].settings.baseURL is missing, and "baseUrll" is not a known setting. Did you mean "baseURL"?"#
            ),
            (
                #"{"providers": [{"name": "a", "type": "openid-conect", "settings": {}}]}"#,
                #"Did you mean "openid-connect"?"#
            ),
            (
                #"{"providers": [{"nmae": "a", "type": "anonymous", "settings": {}}]}"#,
                #"providers[0].name is missing, and "nmae" is not a known setting. Did you mean "name"?"#
            ),
            (
                #"{"providers": [{"name": "a", "type": "anonymous", "settings": {}, "fallBackWhenUnavailable": true}]}"#,
                #"Did you mean "fallsBackWhenUnavailable"?"#
            ),
            (
                #"{"providers": [{"name": "a", "type": "openid-connect", "settings": {"clientId": "app"}}]}"#,
                #"providers[0].settings.clientId is not a known setting. Did you mean "clientID"?"#
            ),
            (
                #"{"providers": [{"name": "a", "type": "keycloak", "settings": {"sever": "https://a.example"}}]}"#,
                #"and "sever" is not a known setting. Did you mean "server"?"#
            ),
            ("{", "not JSON: line 1, column 2: the document ends too early"),
            (
                "{\"providers\": [\n  {\"name\": \"ü\", \"type\": \"anonymous\", \"settings\": {}},\n]}",
                "line 3, column 1: \"]\" is not expected here"
            ),
            ("{\n  \"providers\": [}", "line 2, column 17: \"}\" is not expected here"),
            (
                #"{"defaultProfile": "nope", "profiles": {"dev": {"providers": [{"name": "a", "type": "anonymous"}]}}}"#,
                #"There is no profile "nope". Known: dev."#
            ),
            (
                #"{"store": {"type": "file", "folder": "FOLDER", "key": {"home": "keyFile", "path": "FOLDER/key"}}, "providers": [{"name": "a", "type": "anonymous", "settings": {}}]}"#,
                "the key file lies in the store's folder"
            ),
        ])
    func mistakes(text: String, expected: String) async throws {
        let result = try await check(text.replacingOccurrences(of: "FOLDER", with: MissingPath.make()))
        #expect(result.status == 78)
        #expect(result.output.contains("✘") && result.output.contains(expected))
    }

    #if os(Linux)
    @Test("A configuration without a store keeps sessions in the state folder, and needs a home folder for that")
    func standardStore() async throws {
        let text = #"{"providers": [{"name": "a", "type": "anonymous", "settings": {}}]}"#
        let usual = try await check(text)
        #expect(usual.status == 0 && usual.output.contains("sessions: ~/.local/state/identity, sealed"), "\(usual)")
        let named = try await check(text, environment: ["XDG_STATE_HOME": "/var/lib/x"])
        #expect(named.status == 0 && named.output.contains("sessions: /var/lib/x/identity, sealed"), "\(named)")
        let homeless = try await check(text, environment: ["HOME": "/"])
        #expect(homeless.status == 78 && homeless.output.contains("there is none. Set HOME"), "\(homeless)")
        let memory = try await check(
            #"{"store": {"type": "memory"}, \#(text.dropFirst())"#, environment: ["HOME": "/"])
        #expect(memory.status == 0 && memory.output.contains("in memory, until the process ends"), "\(memory)")
    }

    @Test("Without a home folder every command says that the configuration has to name a store")
    func homeless() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("identity.json")
        try Data(#"{"providers": [{"name": "a", "type": "anonymous", "settings": {}}]}"#.utf8).write(to: file)
        let environment = ["HOME": "/", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": folder.file("cache").path]
        let start = try await Tool.run(["whoami", "--config", file.path], environment: environment)
        #expect(start.status == 78 && start.errors.contains("\"store\": {\"type\": \"file\""), "\(start)")
    }

    @Test("A store that this system does not have is a mistake, as at a start")
    func storeOfAnotherSystem() async throws {
        let text =
            #"{"store": {"type": "keychain"}, "providers": [{"name": "a", "type": "anonymous", "settings": {}}]}"#
        let result = try await check(text)
        #expect(result.status == 78 && result.output.contains("there is no Keychain on this system"))
        let folder = try TemporaryFolder()
        let file = folder.file("identity.json")
        try Data(text.utf8).write(to: file)
        let start = try await Tool.run(["whoami", "--config", file.path])
        #expect(start.status == 78 && start.errors.contains("there is no Keychain on this system"))
    }
    #endif

    @Test("Without a name it checks the file that the other commands use, and says where it looked")
    func usualPlace() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("mine.json")
        let environment = ["IDENTITY_CONFIG": file.path, "HOME": folder.url.path, "XDG_STATE_HOME": ""]
        let missing = try await Tool.run(["config", "check"], environment: environment)
        #expect(missing.status == 78 && missing.errors.contains(file.path))
        try Data(#"{"providers": [{"name": "a", "type": "anonymous", "settings": {}}]}"#.utf8).write(to: file)
        let found = try await Tool.run(["config", "check"], environment: environment)
        #expect(found.status == 0 && found.output.contains("1. a (anonymous)"))
    }

    @Test("A link that leads nowhere is told as one, with its target")
    func danglingLink() async throws {
        let folder = try TemporaryFolder()
        let (link, target) = (folder.file("identity.json").path, folder.file("gone.json").path)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        for words in [["config", "check"], ["whoami"], ["token"]] {
            let result = try await Tool.run(words, environment: ["IDENTITY_CONFIG": link])
            #expect(result.status == 78, "\(words): \(result)")
            #expect(result.errors.contains("\(link) cannot be read: it is a symbolic link to \(target)"), "\(result)")
        }
    }

    @Test("A file in a folder that cannot be opened is told with the reason, and is not called missing")
    func closedFolder() async throws {
        let folder = try TemporaryFolder()
        // The permissions of a folder do not keep root out, but a link that leads to itself keeps out everyone.
        let closed = folder.file("closed").path
        try FileManager.default.createSymbolicLink(atPath: closed, withDestinationPath: closed)
        let file = closed + "/identity.json"
        for words in [
            ["config", "check"], ["whoami"], ["token"], ["mcp", "https://server.example/mcp"],
            ["init", "--type", "anonymous", "--offline"], ["config", "init", "--type", "anonymous"],
        ] {
            let result = try await Tool.run(words, environment: ["IDENTITY_CONFIG": file])
            #expect(result.status == 78 && !result.errors.contains("identity init"), "\(words): \(result)")
            #expect(result.errors.contains("\(file) cannot be read: Too many"), "\(words): \(result)")
        }
    }

    @Test("Names in variables that nothing has are told with the variable")
    func unknownNames() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("identity.json")
        let text = #"{"store": {"type": "memory"}, "providers": [{"name": "a", "type": "anonymous", "settings": {}}]}"#
        try Data(text.utf8).write(to: file)
        for variable in ["SWIFT_IDENTITY_PROFILE", "SWIFT_IDENTITY_PROVIDER"] {
            let result = try await Tool.run(
                ["whoami"], environment: ["IDENTITY_CONFIG": file.path, variable: "nope"])
            #expect(result.status == 78 && result.errors.contains(variable), "\(result)")
        }
    }

    @Test("A profile that is named can be right where the default one is missing")
    func namedProfile() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("identity.json")
        let provider = #"{"name": "a", "type": "anonymous", "settings": {}}"#
        let profile = #"{"store": {"type": "memory"}, "providers": [\#(provider)]}"#
        try Data(#"{"defaultProfile": "gone", "profiles": {"a": \#(profile)}}"#.utf8).write(to: file)
        let named = try await Tool.run("config", "check", file.path, "--profile", "a")
        #expect(named.status == 0 && named.output.contains("can be used"), "\(named)")
        let all = try await Tool.run("config", "check", file.path)
        #expect(all.status == 78 && all.output.contains("gone"), "\(all)")
    }

    @Test("The first example of the help writes a configuration that can be used")
    func firstExample() async throws {
        let help = try await Tool.run("--help").output
        let start = try #require(help.range(of: "identity config init")).lowerBound
        let end = try #require(help.range(of: "clientID=cli")).upperBound
        let folder = try TemporaryFolder()
        let environment = ["IDENTITY_CONFIG": folder.file("identity.json").path]
        let command = help[start..<end].replacingOccurrences(of: "identity config", with: "\"$0\" config")
        let written = try await ToolProcess.shell(String(command), environment: environment)
        #expect(written.status == 0, "\(written.errors)")
        let check = try await Tool.run(["config", "check"], environment: environment)
        #expect(check.status == 0 && check.output.contains("redirectURI: http://127.0.0.1/callback"))
    }

    @Test("Types the tool does not know can be accepted")
    func unknownTypes() async throws {
        let text = #"{"providers": [{"name": "a", "type": "acme", "settings": {"x": 1}}]}"#
        #expect(try await check(text, "--allow-unknown-types").status == 0)
    }

    @Test("The schema is a JSON document that knows the tool's provider types")
    func schema() async throws {
        let result = try await Tool.run("config", "schema")
        let types = try JSONValue(parsing: Data(result.output.utf8))["$defs"]?["provider"]?["properties"]?["type"]?[
            "enum"]
        for type in ["thunderid", "insforge", "openid-connect", "static-token"] {
            #expect(types?.arrayValue?.contains(.string(type)) == true, "\(type)")
        }
    }
}
