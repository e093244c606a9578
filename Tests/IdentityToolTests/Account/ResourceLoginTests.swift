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
            let terminal = try PseudoTerminal()
            let (run, page) = try await fixture.startBrowserLogin(
                at: terminal, "--resource", resource, "--config", file)
            let user = fixture.openIDConnect.user
            let callback = try await ScriptedLogin(username: user.username, password: user.password).signIn(at: page)
            #expect(try await DefaultTransport.make().data(for: URLRequest(url: callback)).1.statusCode == 200)
            let result = await run.finish()
            #expect(result.status == 0, "\(terminal.text)")
            #expect(terminal.text.contains("Wrote \(file)."))
            #expect(FileManager.default.fileExists(atPath: file))

            let request = try await fixture.run("request", resource, "--config", file)
            #expect(request.output.contains("a note"), "\(request.errors)")
            #expect(try await fixture.run("token", "--config", file).status == 0)
            #expect(fixture.openIDConnect.counters.registrations == 1)
        }
    }

    @Test("A configuration without the resource is not changed, and the message says what to add")
    func notConfigured() async throws {
        try await withTool { fixture in
            let before = try Data(contentsOf: fixture.configurationFile)
            let result = try await fixture.run("login", "--resource", "https://notes.example.com/mcp")
            #expect(result.status != 0)
            #expect(result.errors.contains(#""type": "protected-resource""#))
            #expect(try Data(contentsOf: fixture.configurationFile) == before)
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
