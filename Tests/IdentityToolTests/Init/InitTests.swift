import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTool
import TestSupport
import Testing

/// `identity init`, as somebody meets it who has nothing yet.
@Suite(.endsInTime) struct InitTests {
    /// Runs a command that finds its answers at a terminal, in the order of the questions.
    private func answering(
        _ answers: [String], _ words: [String], _ environment: [String: String]
    ) async throws -> ToolProcess.Result {
        let input = answers.map { $0 + "\n" }.joined()
        return await (try Tool.Call(words, environment: environment, input: input, isAtTerminal: true)).finish()
    }

    /// The environment of somebody who has nothing yet.
    private func nothing(_ fixture: ToolFixture) -> [String: String] {
        fixture.environment.merging([
            "XDG_CONFIG_HOME": fixture.folder.appendingPathComponent("new").path,
            "XDG_STATE_HOME": fixture.folder.appendingPathComponent("new-state").path,
        ]) { $1 }
    }

    @Test("From nothing to a token of ThunderID are five questions")
    func thunderID() async throws {
        try await withTool { fixture in
            let environment = nothing(fixture)
            let terminal = try PseudoTerminal()
            let run = try ToolProcess.Run(["init"], environment: environment, at: terminal)
            let server = fixture.thunderID
            let answers = [
                ("Backend: ", server.url.absoluteString), ("console shows it: ", server.application.clientID),
                ("[its own]: ", server.application.redirectURIs.first ?? ""),
                ("Username: ", server.user.username), ("Password: ", server.user.password.reveal()),
            ]
            #expect(answers.count <= 5)
            for (question, answer) in answers { await terminal.answers(question, with: answer) }
            let result = await run.finish()
            #expect(result.status == 0, "\(terminal.text)")
            #expect(result.output.contains("identity.json\n") && result.output.contains("thunderid/\(server.user.id)"))
            #expect(terminal.text.contains("✔ \(server.url.absoluteString): thunderid"))
            #expect(!terminal.text.contains(server.user.password.reveal()))
            let token = try await Tool.run("token", environment: environment)
            #expect(token.status == 0 && token.output.split(separator: ".").count == 3)
        }
    }

    @Test("A second provider comes into the file, the rest stays byte for byte, and a name that is taken gets a number")
    func second() async throws {
        try await withTool { fixture in
            let file = fixture.configurationFile
            let text = """
                {
                    "providers" : [
                        {"type":"insforge","name":"insforge","settings":{"baseURL":"https://example.insforge.app"}}
                    ],
                    "store":{ "type" : "memory" }
                }
                """
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            let user = fixture.insForge.user
            let result = try await answering(
                [fixture.insForge.url.absoluteString, user.email, user.password], ["init"], fixture.environment)
            #expect(result.status == 0, "\(result.errors)")
            let after = try String(contentsOf: file, encoding: .utf8)
            let parts = text.components(separatedBy: "\n    ],")
            #expect(after.hasPrefix(parts[0]) && after.hasSuffix("\n    ]," + parts[1]))
            let configuration = try IdentityConfiguration(contentsOf: file)
            #expect(configuration.providers.map(\.name) == ["insforge", "insforge-2"])
            let rights = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
            #expect(rights?.intValue == 0o644)
        }
    }

    @Test("A provider for a server that the file has already can be changed in its place, or be another one")
    func sameServer() async throws {
        try await withTool { fixture in
            let (file, server) = (fixture.configurationFile, fixture.insForge)
            var former = fixture.insForgeProvider(named: "home")
            former.silentDeadline = SilentDeadline(.seconds(9))
            func begin() throws { try fixture.configure(fixture.insForgeProvider(named: "first"), former) }
            func providers() throws -> [ProviderConfiguration] { try IdentityConfiguration(contentsOf: file).providers }
            let address = server.url.absoluteString + "/"

            // By its name it is changed, and keeps what is said of it beside its settings.
            try begin()
            let named = try await fixture.run("init", address, "--name", "home", "--no-login")
            #expect(named.status == 0 && named.errors.contains("This changes home."), "\(named)")
            var changed = try providers()
            #expect(changed.map(\.name) == ["first", "home"])
            #expect(changed.last?.silentDeadline == SilentDeadline(.seconds(9)))
            #expect(changed.last?.settings["anonKey"] == nil && changed.first?.settings["anonKey"] != nil)

            // Without a name nobody can be asked here.
            try begin()
            let added = try await fixture.run("init", address, "--no-login")
            #expect(added.status == 0 && added.errors.contains("give --name first"), "\(added)")
            #expect(try providers().map(\.name) == ["first", "home", "insforge"])

            // At a terminal the person is.
            for (answer, names) in [("", ["first", "home"]), ("add", ["first", "home", "insforge"])] {
                try begin()
                let result = try await answering(
                    ["perhaps", answer], ["init", address, "--no-login"], fixture.environment)
                #expect(result.status == 0 && result.errors.count(of: "[change]: ") == 2, "\(result.errors)")
                changed = try providers()
                #expect(changed.map(\.name) == names)
                #expect((changed.first?.settings["anonKey"] == nil) == answer.isEmpty)
            }
        }
    }

    @Test("With every answer given nothing is asked: a client of an OpenID Connect server registers itself")
    func given() async throws {
        try await withTool { fixture in
            let environment = nothing(fixture)
            let result = try await Tool.run(
                ["init", fixture.openIDConnect.issuer, "--name", "work", "--no-login"], environment: environment
            )
            #expect(result.status == 0, "\(result.errors)")
            let path = try #require(result.output.split(separator: "\n").first.map(String.init))
            let provider = try IdentityConfiguration(contentsOf: URL(fileURLWithPath: path)).providers.first
            #expect(provider?.name == "work" && provider?.type == "openid-connect")
            #expect(provider?.settings["registration"] == [:] && provider?.settings["clientID"] == nil)
            #expect(result.errors.contains("Now run: identity login --provider work"))
        }
    }

    @Test("A server that cannot send a document now is not taken for another kind", arguments: [500, 503, 429])
    func withheld(status: Int) async throws {
        try await withTool { fixture in
            let address = fixture.insForge.url.absoluteString
            let (words, environment) = (["init", address, "--name", "home", "--no-login"], nothing(fixture))
            fixture.insForge.http.fail(.answer(LocalResponse(status: status)))
            let withheld = try await Tool.run(words, environment: environment)
            #expect(withheld.status == 5 && withheld.output.isEmpty, "\(withheld)")
            #expect(withheld.errors.contains("has the status \(status)"), "\(withheld)")
            let found = try await Tool.run(words, environment: environment)
            #expect(found.status == 0, "\(found.errors)")
        }
    }

    @Test("A refusal or a page in the place of a document is named", arguments: [200, 302, 403, 404])
    func refused(status: Int) async throws {
        try await withTool { fixture in
            let server = try await LocalHTTPServer.start { _ in .html("Welcome", status: status) }
            let result = try await Tool.run(
                ["init", server.url.absoluteString, "--no-login"], environment: nothing(fixture))
            #expect(result.status == 1 && result.errors.contains("Check the address"), "\(result)")
            let part = status == 404 ? "publishes no metadata" : "has the status \(status)"
            #expect(result.errors.contains(part) && result.errors.contains("no JSON") == (status == 200), "\(result)")
            await server.stop()
        }
    }

    @Test(
        "The address of a metadata document stands for the server that it describes",
        arguments: ["", "/tenant"],
        [
            "/.well-known/openid-configuration", "/tenant/.well-known/openid-configuration",
            "/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/tenant",
        ])
    func metadataDocument(path: String, place: String) async throws {
        guard place.contains("/tenant") != path.isEmpty else { return }
        let base = Locked("")
        let server = try await LocalHTTPServer.start { request in
            let issuer = base.withLock { $0 } + path
            let members = ["authorization_endpoint", "token_endpoint", "jwks_uri"].reduce(into: ["issuer": issuer]) {
                $0[$1] = "\(issuer)/\($1)"
            }
            return request.path == place
                ? .json(.object(members.mapValues { .string($0) })) : LocalResponse(status: 404)
        }
        base.withLock { $0 = server.url.absoluteString }
        try await withTool { fixture in
            let result = try await Tool.run(
                ["init", server.url.absoluteString + place, "--no-login", "--set", "clientID=app"]
                    + (place.contains("oauth")
                        ? ["--set", #"account={"url":"https://api.example.com/user","identifier":"id"}"#] : []),
                environment: nothing(fixture))
            #expect(result.status == 0, "\(result.errors)")
            let file = try #require(result.output.split(separator: "\n").first.map(String.init))
            let provider = try IdentityConfiguration(contentsOf: URL(fileURLWithPath: file)).providers.first
            #expect(provider?.settings["issuer"]?.stringValue == server.url.absoluteString + path)
        }
        await server.stop()
    }

    @Test(
        "What cannot be used is one line, and nothing is written",
        arguments: [
            (["init"], 64, "<backend>"), (["init", "githup"], 64, "Did you mean github?"),
            (["init", "github"], 64, "clientID"), (["init", "http://127.0.0.1:1"], 5, "127.0.0.1"),
            (["init", "insforge", "--set", "baseURL=http://127.0.0.1:1"], 5, "Nothing was written"),
            (["init", "insforge", "--set", "baseUrl=https://a.example"], 64, "baseURL"),
            (["init", "https://a.example", "--offline"], 64, "--type"),
        ])
    func refused(words: [String], status: Int32, reason: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("identity-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try await Tool.run(
            words, environment: ["XDG_CONFIG_HOME": folder.path, "XDG_STATE_HOME": folder.path]
        )
        #expect(result.status == status && result.output.isEmpty, "\(result.errors)")
        #expect(result.errors.contains(reason), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("identity/identity.json").path))
    }

    @Test("A server that lacks what the type needs does not get it by waiting")
    func wrongServer() async throws {
        try await withTool { fixture in
            let result = try await Tool.run(
                [
                    "init", "openid-connect", "--set", "issuer=\(fixture.insForge.url.absoluteString)", "--set",
                    "clientID=app", "--no-login",
                ], environment: nothing(fixture))
            #expect(result.status == 1 && result.errors.contains("Nothing was written"), "\(result)")
        }
    }

    @Test("Sentences and questions break between words", arguments: [24, 40, 80])
    func narrow(columns: Int) async throws {
        let folder = try TemporaryFolder()
        let (shown, answers) = (Locked(""), Locked(["github", "app", "a secret", ""]))
        let context = ToolContext(
            environment: ["HOME": folder.url.path, "COLUMNS": "\(columns)"], folder: folder.url,
            input: ToolContext.Input(isTerminal: true) {
                // A terminal shows the line's end as well.
                shown.withLock { $0 += "\n" }
                return answers.withLock { $0.isEmpty ? Data() : Data(($0.removeFirst() + "\n").utf8) }
            },
            output: ToolContext.Output { _ in },
            errors: ToolContext.Output { bytes in shown.withLock { $0 += String(decoding: bytes, as: UTF8.self) } })
        let status = await IdentityTool.run(["init", "--offline"], in: context)
        let text = shown.withLock { $0 }
        #expect(status == .success && answers.withLock { $0.isEmpty }, "\(text)")
        for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            // A command can be copied, and a long word is not broken.
            let isWhole = line.hasPrefix("Now run: ") || !line.contains(" ")
            #expect(line.count <= columns || isWhole, "\(line)")
        }
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("The app's identifier, as GitHub gave it: "), "\(text)")
        #expect(words.contains("exactly as it is registered [http://127.0.0.1/callback]: "), "\(text)")
    }

    @Test("What an error names makes the same command succeed")
    func advice() async throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_STATE_HOME": folder.file("state").path]
        var written = 0
        for (words, missing, given) in [
            ([], "<backend>", ["insforge", "--set", "baseURL=https://a.example"]),
            (["insforge"], "--set baseURL=…", ["--set", "baseURL=https://a.example"]),
            (["https://a.example"], "--type", ["--type", "openid-connect", "--set", "clientID=app"]),
            (["--type", "openid"], "Did you mean openid-connect?", []),
            (["openid-connect", "--set", "issuer=https://a.example"], "--set clientID=…", ["--set", "clientID=app"]),
        ] as [([String], String, [String])] {
            written += 1
            let file = folder.file("identity-\(written).json").path
            let rest = ["--offline", "--config", file]
            let lacking = try await Tool.run(["init"] + words + rest, environment: environment)
            #expect(lacking.status == 64 && lacking.errors.contains(missing), "\(words): \(lacking)")
            guard !given.isEmpty else { continue }
            let result = try await Tool.run(["init"] + words + given + rest, environment: environment)
            #expect(result.status == 0, "\(words): \(result)")
        }
    }

    @Test("At a terminal a wrong address is asked for again")
    func again() async throws {
        try await withTool { fixture in
            let result = try await answering(
                ["nonsense", "http://127.0.0.1:1", fixture.insForge.url.absoluteString], ["init", "--no-login"],
                nothing(fixture))
            #expect(result.status == 0 && result.errors.count(of: "Backend: ") == 3, "\(result.errors)")
        }
    }

    @Test("At a terminal an answer that is not acceptable is asked for again, and one that was given is an error")
    func correction() async throws {
        try await withTool { fixture in
            let server = fixture.thunderID
            let words = ["init", server.url.absoluteString, "--no-login", "--set", "clientID=app"]
            let result = try await answering(["callback", "", "elsewhere", ""], words, nothing(fixture))
            #expect(result.status == 0 && result.errors.count(of: "[its own]: ") == 3, "\(result.errors)")
            #expect(result.errors.contains("\"callback\" is not an absolute URL."))
            let file = try #require(result.output.split(separator: "\n").first.map(String.init))
            let provider = try IdentityConfiguration(contentsOf: URL(fileURLWithPath: file)).providers.first
            #expect(provider?.settings["clientID"] == "app" && provider?.settings["redirectURI"] == nil)

            let given = try await answering(
                [], words + ["--set", "redirectURI=callback", "--name", "other"], nothing(fixture))
            #expect(given.status == 78)
        }
    }

    @Test("The folder for sessions is asked for where nobody has said it, and again where it cannot be used")
    func store() async throws {
        try await withTool { fixture in
            let used = fixture.folder.appendingPathComponent("used")
            try FileManager.default.createDirectory(at: used, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: used.path)
            try Data().write(to: used.appendingPathComponent("notes"))
            let chosen = fixture.folder.appendingPathComponent("my sessions")
            let result = try await answering(
                ["~ada", used.path, chosen.path], ["init", fixture.insForge.url.absoluteString, "--no-login"],
                nothing(fixture))
            #expect(result.status == 0 && result.errors.count(of: "sealed there") == 3, "\(result.errors)")
            let shown = result.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(shown.contains("begins with a user's home") && shown.contains("is not private"), "\(shown)")
            // The place of the key is told, too.
            #expect(shown.contains("Sessions: \(chosen.path)") && shown.contains("a key in "), "\(shown)")
            let file = try #require(result.output.split(separator: "\n").first.map(String.init))
            #expect(
                try IdentityConfiguration(contentsOf: URL(fileURLWithPath: file)).store == .file(folder: chosen.path))
        }
    }

    @Test("A configuration that is a link stays one, and what it leads to is changed")
    func link() async throws {
        try await withTool { fixture in
            let file = fixture.configurationFile
            let target = fixture.folder.appendingPathComponent("dotfiles.json")
            try FileManager.default.moveItem(at: file, to: target)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
            let result = try await fixture.run(
                "init", fixture.insForge.url.absoluteString, "--name", "other", "--no-login")
            #expect(result.status == 0, "\(result.errors)")
            #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: file.path)) == target.path)
            #expect(try IdentityConfiguration(contentsOf: target).providers.last?.name == "other")
        }
    }
}
