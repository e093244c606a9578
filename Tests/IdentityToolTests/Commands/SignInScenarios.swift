import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// `identity login`.
extension CommandScenario {
    static let signIn: [CommandScenario] = [
        CommandScenario("identity login") { stage in
            let server = stage.fixture.openIDConnect
            try stage.fixture.configure(stage.openIDProvider(named: "any"))
            let (result, shown) = try await stage.signInInBrowser("identity login")
            #expect(result.output == "any/\(server.user.id)\n", "\(shown)")
            #expect(shown.contains("Your browser opens.") && stage.hasFile("~/opened"))
        },
        CommandScenario("identity login --provider work --scope mail --scope calendar") { stage in
            var rules = LocalOpenIDConnectServer.Configuration()
            rules.scopes += ["mail", "calendar"]
            let server = try await LocalOpenIDConnectServer.start(configuration: rules)
            try stage.fixture.configure(stage.openIDProvider(named: "work", at: server))
            let (result, shown) = try await stage.signInInBrowser(
                "identity login --provider work --scope mail --scope calendar")
            #expect(result.output == "work/\(server.user.id)\n", "\(shown)")
            let token = try await stage.prepare("identity token --scope mail --scope calendar")
            #expect(token.status == 0, "\(token.errors)")
            await server.stop()
        },
        CommandScenario("identity login --provider work --device") { stage in
            try await stage.signInOnDevice("identity login --provider work --device")
        },
        CommandScenario("identity login --device") { stage in
            try await stage.signInOnDevice("identity login --device")
        },
        CommandScenario("identity login --resource https://notes.example.com/mcp", needs: [.hosts]) { stage in
            try stage.forgetConfiguration()
            try await stage.withIssuer { server in
                let (result, shown) = try await stage.signInInBrowser(
                    "identity login --resource https://notes.example.com/mcp",
                    at: ["https://id.example.com": server.url, "https://notes.example.com/mcp": server.resource])
                #expect(result.status == 0, "\(shown)")
                #expect(shown.contains("Wrote \(stage.fixture.configurationFile.path)."))
                let request = try await stage.prepare("identity request https://notes.example.com/mcp")
                #expect(request.output.contains("a note"), "\(request.errors)")
            }
        },
        CommandScenario("identity login --resource https://notes.example.com/mcp --client-id cli", needs: [.hosts]) {
            stage in
            try stage.forgetConfiguration()
            try await stage.withIssuer { server in
                let (result, shown) = try await stage.signInInBrowser(
                    "identity login --resource https://notes.example.com/mcp --client-id cli",
                    at: ["https://id.example.com": server.url, "https://notes.example.com/mcp": server.resource])
                #expect(result.status == 0 && server.counters.registrations == 0, "\(shown)")
            }
        },
        CommandScenario("identity switch \\(account.realm.quotedForShell)", needs: [.hosts]) { stage in
            // An account that is active stays so.
            let active = try await stage.fixture.signIn().output.trimmingCharacters(in: .newlines)
            try await stage.withIssuer { server in
                let (result, shown) = try await stage.signInInBrowser(
                    "identity login --resource https://notes.example.com/mcp",
                    at: ["https://id.example.com": server.url, "https://notes.example.com/mcp": server.resource])
                #expect(result.status == 0, "\(shown)")
                #expect(try await stage.prepare("identity whoami").output.hasPrefix(active))
                let chosen = try await stage.runAdvice("identity switch \\(account.realm.quotedForShell)", in: shown)
                #expect(chosen.status == 0 && chosen.output.hasPrefix("notes/"), "\(chosen)")
            }
        },
        CommandScenario("pass show work | identity login --username ada --password-stdin") { stage in
            let user = stage.fixture.thunderID.user
            try stage.program("pass", "[ \"$*\" = 'show work' ] && echo '\(user.password.reveal())'")
            let result = try await stage.run("pass show work | identity login --username ada --password-stdin")
            #expect(user.username == "ada" && result.output == "work/\(user.id)\n", "\(result.errors)")
        },
        CommandScenario(
            """
            identity serve --configuration identity.json
            identity login --config identity.json --provider oidc
            identity token --config identity.json
            """
        ) { stage in
            let serve = try stage.start("identity serve --configuration identity.json")
            await serve.waits(for: "\n}\n")
            #expect(serve.outputSoFar.contains("Dashboard "))
            let (login, shown) = try await stage.signInInBrowser(
                "identity login --config identity.json --provider oidc")
            #expect(login.output.hasPrefix("oidc/"), "\(shown)")
            let token = try await stage.run("identity token --config identity.json")
            #expect(token.status == 0 && !token.output.isEmpty, "\(token.errors)")
            serve.interruptAll()
            #expect(await serve.finish().status == 0)
        },
    ]
}

extension CommandStage {
    /// Signs in with a code on another device, at a server that is the only provider.
    fileprivate func signInOnDevice(_ line: String) async throws {
        let server = fixture.openIDConnect
        try fixture.configure(openIDProvider(named: "work"))
        let terminal = try PseudoTerminal()
        let run = try start(line, at: terminal)
        await terminal.waits(for: "▀")
        let words = terminal.text.split(whereSeparator: \.isWhitespace).map(String.init)
        let page = try #require(words.first { $0.hasPrefix("http://") }.flatMap(URL.init(string:)))
        let code = try #require(words.firstIndex(of: "code").map { words[$0 + 1] })
        try await ScriptedLogin(username: server.user.username, password: server.user.password)
            .decideOnDevice(at: page, userCode: code)
        #expect(await run.finish().output == "work/\(server.user.id)\n", "\(terminal.text)")
    }

    /// An OpenID Connect server as a provider of the configuration; the fixture's when nothing else is said.
    func openIDProvider(named name: String, at server: LocalOpenIDConnectServer? = nil) -> ProviderConfiguration {
        let server = server ?? fixture.openIDConnect
        return ProviderConfiguration(
            name: name, type: "openid-connect",
            settings: [
                "issuer": .string(server.issuer), "allowsLoopbackHTTP": true, "clientID": .string(server.client.id),
                "redirectURI": "http://127.0.0.1/callback",
            ])
    }
}
