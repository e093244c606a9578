import Foundation
import IdentityKit
import TestSupport
import Testing

/// The vendors that the tool knows, and a first configuration for one.
@Suite(.endsInTime) struct KnownProvidersTests {
    /// Runs a test with a place for a configuration.
    private func withFile(_ test: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("identity-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await test(folder.appendingPathComponent("identity.json"))
    }

    private func provider(in file: URL) throws -> JSONValue? {
        try JSONValue(parsing: Data(contentsOf: file))["providers"]?.arrayValue?.first
    }

    @Test("The vendors are listed without a configuration, with their pages")
    func listed() async throws {
        let environment = ["XDG_CONFIG_HOME": MissingPath.make()]
        let text = try await Tool.run("providers", "--known", environment: environment)
        let line = text.output.split(separator: "\n").first { $0.hasPrefix("github  ") }
        #expect(text.status == 0 && line?.hasPrefix("github  GitHub, oauth2, https://docs.github.com/") == true)
        let json = try await Tool.run("providers", "--known", "--json", environment: environment)
        let rows = try JSONValue(parsing: Data(json.output.utf8)).arrayValue ?? []
        #expect(rows.count > 15)
        let keycloak = rows.first { $0["type"] == "keycloak" }
        #expect(keycloak?["needs"] == ["server", "realm", "clientID", "redirectURI"])
        #expect(rows.allSatisfy { $0["date"]?.stringValue != nil && $0["untried"]?.stringValue != nil })
    }

    @Test("Without a terminal one line names what is missing, and nothing is written")
    func missing() async throws {
        try await withFile { file in
            let result = try await Tool.run(
                "config", "init", "--config", file.path, "--type", "keycloak", "--set", "realm=example")
            #expect(result.status == 64 && result.output.isEmpty)
            #expect(
                result.errors
                    == "identity: Keycloak needs server, clientID. Add --set server=… --set clientID=…, or run the command "
                    + "at a terminal.\n")
            #expect(result.errors.split(separator: "\n").count == 1)
            #expect(!FileManager.default.fileExists(atPath: file.path))
            // With the options that it names it succeeds.
            let options = result.errors.matches(of: /--set (\w+)=…/).map { String($0.output.1) }
            let values = ["server": "https://id.example.com", "clientID": "app"]
            let given = options.flatMap { ["--set", "\($0)=\(values[$0] ?? "")"] }
            let made = try await Tool.run(
                ["config", "init", "--config", file.path, "--type", "keycloak", "--set", "realm=example"] + given)
            #expect(made.status == 0, "\(made)")
        }
    }

    @Test("With everything given nothing is asked, and the configuration names the vendor alone")
    func given() async throws {
        try await withFile { file in
            let result = try await Tool.run(
                "config", "init", "--config", file.path, "--type", "github", "--name", "code", "--set", "clientID=app",
                "--set", "signIn=device", "--set", "clientAuthentication=null")
            #expect(result.status == 0, "\(result.errors)")
            let settings: JSONValue = ["clientID": "app", "signIn": "device", "clientAuthentication": nil]
            #expect(try provider(in: file) == ["name": "code", "type": "github", "settings": settings])
            #expect(try await Tool.run("config", "check", file.path).status == 0)
        }
    }

    @Test("The browser returns to this machine where nothing else is said, unless the vendor refuses that")
    func redirection() async throws {
        try await withFile { file in
            let words = ["config", "init", "--config", file.path, "--type"]
            let result = try await Tool.run(
                words + ["github", "--set", "clientID=app", "--set", "clientSecret=a planted secret"])
            #expect(result.status == 0, "\(result.errors)")
            #expect(try provider(in: file)?["settings"]?["redirectURI"] == "http://127.0.0.1/callback")
            let apple = try await Tool.run(words + ["apple", "--set", "clientID=app"])
            #expect(apple.status == 64 && apple.errors.contains("redirectURI"), "\(apple)")
        }
    }

    @Test(
        "A vendor that does not take every port of 127.0.0.1 is given an address that it takes",
        arguments: [
            ("entra", ["tenant=8eaef023-2b34-4da1-9baa-8bc8c9d6a490"], "http://localhost/callback"),
            ("cognito", ["region=eu-west-2", "userPoolID=eu-west-2_ABCabc123"], "http://localhost:8400/callback"),
            ("okta", ["domain=example.okta.com"], "http://127.0.0.1:8400/callback"),
        ] as [(String, [String], String)])
    func otherRedirection(type: String, parameters: [String], redirectURI: String) async throws {
        try await withFile { file in
            let settings = (parameters + ["clientID=app"]).flatMap { ["--set", $0] }
            let result = try await Tool.run(["config", "init", "--config", file.path, "--type", type] + settings)
            #expect(result.status == 0, "\(result.errors)")
            #expect(try provider(in: file)?["settings"]?["redirectURI"]?.stringValue == redirectURI)
        }
    }

    @Test(
        "A vendor's address, and what people take for it, becomes the vendor's configuration",
        arguments: [
            ("https://accounts.google.com", "google", [:]), ("https://github.com", "github", [:]),
            ("https://gitlab.com/", "gitlab", [:]), ("github.com", "github", [:]), ("google.com", "google", [:]),
            ("https://appleid.apple.com", "apple", [:]),
            ("https://login.microsoftonline.com/common/v2.0", "entra-multitenant", ["accounts": "common"]),
            (
                "https://login.microsoftonline.com/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0", "entra",
                ["tenant": "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"]
            ),
        ] as [(String, String, [String: JSONValue])])
    func address(written: String, type: String, parameters: [String: JSONValue]) async throws {
        try await withFile { file in
            let folder = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let settings = ["clientID=app", "clientSecret=s", "redirectURI=https://app.example.com/callback"]
            let words = ["init", written, "--offline", "--config", file.path] + settings.flatMap { ["--set", $0] }
            let missing = try await Tool.run(words, environment: ["XDG_STATE_HOME": folder.path])
            // Its key cannot be made up.
            guard type != "apple" else {
                #expect(missing.status == 64 && missing.errors.contains("Apple needs clientSecretIssuer"), "\(missing)")
                return
            }
            #expect(missing.status == 0, "\(missing)")
            let provider = try provider(in: file)
            #expect(provider?["type"]?.stringValue == type)
            for (name, value) in parameters { #expect(provider?["settings"]?[name] == value) }
        }
    }

    @Test(
        "A type by another name gets a suggestion, wherever it is written",
        arguments: [
            ("oidc", "openid-connect"), ("microsoft", "entra"), ("azure", "entra"), ("aad", "entra"),
            ("env", "environment-token"),
        ])
    func otherName(written: String, type: String) async throws {
        try await withFile { file in
            for words in [["init", written], ["init", "--type", written], ["config", "init", "--type", written]] {
                let result = try await Tool.run(words + ["--config", file.path])
                #expect(result.status != 0 && result.errors.contains("Did you mean "), "\(words): \(result)")
                #expect(result.errors.contains(type), "\(words): \(result)")
            }
        }
    }

    @Test("A value that no address may have is a mistake, and nothing is written")
    func hostile() async throws {
        try await withFile { file in
            let result = try await Tool.run(
                "config", "init", "--config", file.path, "--type", "gitlab", "--set", "clientID=app", "--set",
                "redirectURI=http://127.0.0.1/callback", "--set", "domain=evil.example/@gitlab.com")
            #expect(result.status == 78 && result.errors.contains("providers[0].settings.domain"), "\(result.errors)")
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("At a terminal what is missing is asked for, with the secret hidden")
    func asked() async throws {
        try await withFile { file in
            let terminal = try PseudoTerminal()
            let run = try ToolProcess.Run(
                ["config", "init", "--config", file.path, "--type", "github"], environment: ["NO_COLOR": "1"],
                at: terminal)
            await terminal.answers("as GitHub gave it: ", with: "app")
            await terminal.waits(for: "a variable that holds it: ")
            await terminal.hidesInput()
            terminal.type("a planted secret")
            // An empty answer takes what is offered.
            await terminal.answers("[http://127.0.0.1/callback]: ", with: "")
            let result = await run.finish()
            #expect(result.status == 0 && !terminal.text.contains("planted"), "\(terminal.text)")
            // An address keeps its line.
            #expect(terminal.text.contains("GitHub, see") && terminal.text.contains("https://docs.github.com/"))
            #expect(
                try provider(in: file)?["settings"] == [
                    "clientID": "app", "clientSecret": "a planted secret", "redirectURI": "http://127.0.0.1/callback",
                ])
        }
    }

    @Test("A preset signs in on another device like its base type")
    func device() async throws {
        try await withTool { fixture in
            var configuration = fixture.configuration
            configuration.providers = [
                ProviderConfiguration(
                    name: "any", type: "zitadel",
                    settings: [
                        "server": .string(fixture.openIDConnect.url.absoluteString), "allowsLoopbackHTTP": true,
                        "clientID": .string(fixture.openIDConnect.client.id),
                        "redirectURI": "http://127.0.0.1/callback",
                    ])
            ]
            try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
            let result = try await fixture.signInOnDevice(allows: true)
            #expect(result.output == "any/\(fixture.openIDConnect.user.id)\n", "\(result.errors)")
            let doctor = try await fixture.run("doctor", "--json")
            #expect(doctor.output.contains("responds as a sign-in needs it"), "\(doctor.output)")
        }
    }
}
