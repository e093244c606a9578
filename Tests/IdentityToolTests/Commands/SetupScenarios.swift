import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// `identity init` and `identity config`.
extension CommandScenario {
    static let setup: [CommandScenario] = [
        CommandScenario("identity init\nidentity token") { stage in
            try stage.forgetConfiguration()
            let server = stage.fixture.thunderID
            let (result, shown) = try await stage.run(
                "identity init",
                answering: [
                    ("Backend: ", server.url.absoluteString), ("console shows it: ", server.application.clientID),
                    ("[its own]: ", server.application.redirectURIs.first ?? ""),
                    ("Username: ", server.user.username), ("Password: ", server.user.password.reveal()),
                ])
            #expect(result.status == 0 && shown.contains("✔ \(server.url.absoluteString): thunderid"), "\(shown)")
            #expect(try IdentityConfiguration(contentsOf: stage.fixture.configurationFile).providers.count == 1)
            let token = try await stage.runAdvice("identity token", in: shown)
            #expect(token.status == 0 && token.output.split(separator: ".").count == 3, "\(token.errors)")
        },
        CommandScenario("identity init https://id.example.com", needs: [.hosts]) { stage in
            try stage.forgetConfiguration()
            try await stage.withIssuer { server in
                let (result, shown) = try await stage.signInInBrowser(
                    "identity init https://id.example.com",
                    answering: [("[register]: ", ""), ("sealed there", "")],
                    at: ["https://id.example.com": server.url])
                #expect(result.status == 0, "\(shown)")
                #expect(shown.contains("✔ https://id.example.com: openid-connect") && stage.hasFile("~/opened"))
                #expect(try await stage.prepare("identity token").status == 0)
            }
        },
        // A vendor's host. The sign-in is checked up to the page that the browser is to open.
        CommandScenario("identity init github --name work --set clientID=Iv1.0123") { stage in
            try stage.forgetConfiguration()
            let terminal = try PseudoTerminal()
            let run = try stage.start("identity init github --name work --set clientID=Iv1.0123", at: terminal)
            await terminal.answers("a variable that holds it: ", with: "a planted secret")
            await terminal.answers("[http://127.0.0.1/callback]: ", with: "")
            await terminal.answers("sealed there", with: "")
            await terminal.waits(for: "Your browser opens")
            await terminal.waits(for: "code_challenge_method")
            run.interruptAll()
            #expect(await run.finish().status == 130)
            #expect(terminal.text.contains("https://github.com/login/oauth/authorize?"), "\(terminal.text)")
            #expect(terminal.text.contains("client_id=Iv1.0123&") && !terminal.text.contains("planted"))
            let provider = try IdentityConfiguration(contentsOf: stage.fixture.configurationFile).providers.first
            #expect(provider?.name == "work" && provider?.type == "github")
        },
        CommandScenario(
            """
            identity init insforge --set baseURL=https://example.insforge.app --no-login
            identity login --provider \\(provider.name.quotedForShell)
            """, needs: [.hosts]
        ) { stage in
            try stage.forgetConfiguration()
            let server = stage.fixture.insForge
            try await stage.host(["https://example.insforge.app": server.url])
            let result = try await stage.run(
                "identity init insforge --set baseURL=https://example.insforge.app --no-login")
            #expect(result.status == 0 && stage.askedHosts.contains("example.insforge.app"), "\(result.errors)")
            let login = try await stage.runAdvice(
                "identity login --provider \\(provider.name.quotedForShell)", in: result.errors,
                answering: [("mail", server.user.email), ("Password: ", server.user.password)])
            #expect(login.output.hasPrefix("insforge/"))
        },
        CommandScenario(
            "identity config init --type openid-connect \\\n  --set issuer=https://id.example.com --set clientID=cli",
            needs: [.hosts]
        ) { stage in
            try stage.forgetConfiguration()
            try await stage.withIssuer { server in
                let result = try await stage.run(
                    "identity config init --type openid-connect \\\n  --set issuer=https://id.example.com --set clientID=cli"
                )
                #expect(result.output == stage.fixture.configurationFile.path + "\n", "\(result.errors)")
                #expect(result.errors.hasSuffix("Now run: identity login\n"))
                let (login, shown) = try await stage.signInInBrowser(
                    "identity login", at: ["https://id.example.com": server.url])
                #expect(login.output == "openid-connect/\(server.user.id)\n", "\(shown)")
            }
        },
        CommandScenario("identity config init --type github\nidentity config check") { stage in
            try stage.forgetConfiguration()
            let (result, shown) = try await stage.run(
                "identity config init --type github",
                answering: [
                    ("as GitHub gave it: ", "app"), ("a variable that holds it: ", "a planted secret"),
                    ("[http://127.0.0.1/callback]: ", ""),
                ])
            #expect(result.status == 0, "\(shown)")
            let check = try await stage.run("identity config check")
            #expect(check.status == 0 && check.output.contains("1. github (github)"), "\(check)")
            #expect(!check.output.contains("planted"))
        },
        CommandScenario(
            "identity config init --type insforge --name home \\\n  --set baseURL=https://example.insforge.app",
            needs: [.hosts]
        ) { stage in
            try stage.forgetConfiguration()
            let server = stage.fixture.insForge
            try await stage.host(["https://example.insforge.app": server.url])
            let result = try await stage.run(
                "identity config init --type insforge --name home \\\n  --set baseURL=https://example.insforge.app")
            let login = try await stage.runAdvice(
                "identity login", in: result.errors,
                answering: [("mail", server.user.email), ("Password: ", server.user.password)])
            #expect(login.output.hasPrefix("home/"), "\(result.errors)")
        },
        CommandScenario(
            "identity config check identity.json\nidentity config check identity.json --profile production"
        ) { stage in
            try stage.configurationInFolder()
            let good = try await stage.run("identity config check identity.json")
            #expect(good.status == 0 && good.output.contains("1. work (thunderid)"), "\(good)")
            try stage.file(
                "identity.json",
                #"""
                {"profiles": {
                  "production": {"providers": [{"name": "guest", "type": "anonymous", "settings": {}}]},
                  "development": {"providers": [{"name": "guest", "type": "anonymous", "settings": {"wrong": 1}}]}
                }}
                """#)
            let production = try await stage.run("identity config check identity.json --profile production")
            #expect(production.status == 0 && production.output.contains("guest"), "\(production)")
            let both = try await stage.run("identity config check identity.json")
            #expect(both.status == 78 && (both.output + both.errors).contains("wrong"), "\(both)")
        },
        CommandScenario("identity config check --allow-unknown-types identity.json") { stage in
            try stage.file(
                "identity.json",
                #"{"providers": [{"name": "work", "type": "acme", "settings": {"baseURL": "https://acme.example"}}]}"#)
            let result = try await stage.run("identity config check --allow-unknown-types identity.json")
            #expect(result.status == 0, "\(result)")
            #expect(try await stage.prepare("identity config check identity.json").status == 78)
        },
        CommandScenario("identity config schema") { stage in
            let result = try await stage.run("identity config schema")
            let schema = try JSONValue(parsing: Data(result.output.utf8))
            #expect(schema["$defs"]?["configuration"]?["properties"]?["providers"] != nil)
        },
    ]
}

extension CommandStage {
    /// Lets `https://id.example.com` lead to an OpenID Connect server of that name that knows the client `cli`.
    func withIssuer(_ body: (LocalOpenIDConnectServer) async throws -> Void) async throws {
        var rules = LocalOpenIDConnectServer.Configuration()
        rules.clients = [LocalOpenIDConnectServer.Client(id: "cli")]
        rules.issuer = "https://id.example.com"
        rules.allowsRegistration = true
        let server = try await LocalOpenIDConnectServer.start(configuration: rules)
        try await host([
            "https://id.example.com": server.url, "https://notes.example.com/mcp": server.resource,
        ])
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }
}
