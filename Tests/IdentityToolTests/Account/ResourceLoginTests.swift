import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `identity login --resource`.
@Suite(.endsInTime) struct ResourceLoginTests {
    @Test("Signs in to a resource with nothing configured, and the other commands go on with it")
    func wholeSession() async throws {
        try await withTool { fixture in
            let file = fixture.folder.appendingPathComponent("new/identity.json").path
            let resource = fixture.openIDConnect.resource.absoluteString
            let (call, page) = try await fixture.startBrowserLogin("--resource", resource, "--config", file)
            let user = fixture.openIDConnect.user
            let callback = try await ScriptedLogin(username: user.username, password: user.password).signIn(at: page)
            #expect(try await DefaultTransport.make().data(for: URLRequest(url: callback)).1.statusCode == 200)
            let result = await call.finish()
            #expect(result.status == 0 && result.errors.contains("Wrote \(file)."), "\(result.errors)")
            #expect(FileManager.default.fileExists(atPath: file))

            let request = try await fixture.run("request", resource, "--config", file)
            #expect(request.output.contains("a note"), "\(request.errors)")
            #expect(try await fixture.run("token", "--config", file).status == 0)
            #expect(fixture.openIDConnect.counters.registrations == 1)
        }
    }

    /// Signs in to the fixture's resource.
    private func signIn(
        _ fixture: ToolFixture, _ options: String..., resource: String? = nil
    ) async throws -> (result: ToolProcess.Result, shown: String) {
        let resource = resource ?? fixture.openIDConnect.resource.absoluteString
        let words = ["login", "--resource", resource] + options
        let call = try Tool.Call(words, environment: fixture.environment, isAtTerminal: true)
        let user = fixture.openIDConnect.user
        let callback = try await ScriptedLogin(username: user.username, password: user.password)
            .signIn(at: call.page())
        _ = try await DefaultTransport.make().data(for: URLRequest(url: callback))
        let result = await call.finish()
        return (result, result.errors)
    }

    private func providers(of fixture: ToolFixture) throws -> [String] {
        try IdentityConfiguration(contentsOf: fixture.configurationFile).providers.map(\.name)
    }

    @Test("A resource comes beside what is there under its own name, and the active account stays so")
    func beside() async throws {
        try await withTool { fixture in
            let before = try providers(of: fixture)
            let active = try await fixture.signIn().output
            let (result, shown) = try await signIn(fixture)
            #expect(result.status == 0 && result.output.hasPrefix("notes/"), "\(shown)")
            #expect(shown.contains("asks for a sign-in at \(fixture.openIDConnect.url.host ?? "")"), "\(shown)")
            #expect(shown.contains("identity switch notes"))
            #expect(try providers(of: fixture) == before + ["notes"])
            let account = active.trimmingCharacters(in: .newlines)
            #expect(try await fixture.run("whoami").output.hasPrefix(account))

            #expect(try await fixture.run("switch", "notes").status == 0)
            #expect(try await fixture.run("whoami").output.hasPrefix("notes/"))
            // The resource is configured now, and nothing is written.
            #expect(try await signIn(fixture).shown.contains("Wrote") == false)
            #expect(try providers(of: fixture) == before + ["notes"])
        }
    }

    @Test("A provider that another program adds during the sign-in stays, and so does the resource")
    func changedMeanwhile() async throws {
        try await withTool { fixture in
            let before = try providers(of: fixture)
            let (call, page) = try await fixture.startBrowserLogin(
                "--resource", fixture.openIDConnect.resource.absoluteString)
            var changed = fixture.configuration
            changed.providers.append(fixture.insForgeProvider(named: "other"))
            try JSONEncoder().encode(changed).write(to: fixture.configurationFile)
            let user = fixture.openIDConnect.user
            let callback = try await ScriptedLogin(username: user.username, password: user.password).signIn(at: page)
            _ = try await DefaultTransport.make().data(for: URLRequest(url: callback))
            #expect(await call.finish().status == 0, "\(call.text)")
            #expect(try providers(of: fixture) == before + ["other", "notes"])
        }
    }

    @Test("What has not worked is not written, and another resource is another provider")
    func refused() async throws {
        try await withTool { fixture in
            let before = try Data(contentsOf: fixture.configurationFile)
            let closed = try await LocalHTTPServer.start { _ in LocalResponse(status: 404) }
            let refused = try await fixture.run("login", "--resource", closed.url.absoluteString + "/mcp")
            #expect(refused.status != 0 && !refused.errors.contains("Wrote"))
            #expect(try Data(contentsOf: fixture.configurationFile) == before)
            await closed.stop()

            #expect(try await signIn(fixture).result.status == 0)
            // A resource whose parent is described.
            let issuer = fixture.openIDConnect.issuer
            let other = try await LocalHTTPServer.start { request in
                guard let host = request.header("Host"), request.path.hasPrefix("/.well-known/oauth-protected") else {
                    return LocalResponse(status: 401, headers: [("WWW-Authenticate", "Bearer")])
                }
                return .json([
                    "resource": .string("http://\(host)"), "authorization_servers": [.string(issuer)],
                    "scopes_supported": ["read"],
                ])
            }
            let (result, shown) = try await signIn(fixture, resource: other.url.absoluteString + "/mcp")
            #expect(result.status == 0 && result.output.hasPrefix("127.0.0.1-mcp/"), "\(shown)")
            #expect(try providers(of: fixture).suffix(2) == ["notes", "127.0.0.1-mcp"])
            await other.stop()
        }
    }

    @Test("A client identifier is for servers that register none, and is written with the resource")
    func clientID() async throws {
        try await withTool { fixture in
            let id = fixture.openIDConnect.client.id
            let (result, shown) = try await signIn(fixture, "--client-id", id)
            #expect(result.status == 0, "\(shown)")
            #expect(fixture.openIDConnect.counters.registrations == 0)
            let provider = try IdentityConfiguration(contentsOf: fixture.configurationFile).providers.last
            #expect(provider?.settings["clientID"]?.stringValue == id)
            #expect(try await fixture.run("login", "--client-id", id).status == 64)
        }
    }

    @Test("A resource that asks for more scopes has the command printed that gets them")
    func missingScopes() async throws {
        try await withTool { fixture in
            let resource = fixture.openIDConnect.resource.absoluteString
            #expect(try await signIn(fixture).result.status == 0)
            let refused = try await fixture.run("request", resource, "-d", "a note")
            #expect(refused.status == 1)
            #expect(
                refused.errors.contains("It asks for write. Sign in with: identity login --scope write\n"),
                "\(refused)")
        }
    }

    @Test("The command that gets the scopes is about the account of the resource, also where another one is active")
    func missingScopesOfAnother() async throws {
        try await withTool { fixture in
            let resource = fixture.openIDConnect.resource.absoluteString
            #expect(try await fixture.signIn().status == 0)
            #expect(try await signIn(fixture).result.status == 0)
            let refused = try await fixture.run("request", resource, "-d", "a note")
            let advice = "It asks for write. Sign in with: identity login --scope write --provider notes\n"
            #expect(refused.status == 1 && refused.errors.contains(advice), "\(refused)")
            let (call, page) = try await fixture.startBrowserLogin("--scope", "write", "--provider", "notes")
            let user = fixture.openIDConnect.user
            let callback = try await ScriptedLogin(username: user.username, password: user.password).signIn(at: page)
            _ = try await DefaultTransport.make().data(for: URLRequest(url: callback))
            #expect(await call.finish().status == 0, "\(call.text)")
            let sent = try await fixture.run("request", resource, "-d", "a note")
            #expect(sent.status == 0, "\(sent)")
        }
    }

    @Test("What is no address is a mistake of usage", arguments: ["notes", "", "https://"])
    func noAddress(resource: String) async throws {
        try await withTool { fixture in
            let result = try await fixture.run("login", "--resource", resource)
            #expect(result.status == 64)
        }
    }
}
