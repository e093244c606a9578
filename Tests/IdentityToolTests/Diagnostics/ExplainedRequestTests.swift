import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// `identity explain --for` and `identity request` at addresses that a provider names.
@Suite(.endsInTime) struct ExplainedRequestTests {
    /// The tokens that came to `/x`.
    private let tokens = Locked<[String]>([])

    private func start() async throws -> LocalHTTPServer {
        try await LocalHTTPServer.start { [tokens] request in
            let token = request.bearerToken ?? "none"
            if request.path == "/x" { tokens.withLock { $0.append(token) } }
            return .text(token)
        }
    }

    /// Ada is signed in at `git`, which names `server`, and Robin, who is active, at `home`.
    private func signIn(_ fixture: ToolFixture, _ server: LocalHTTPServer, routes: Bool = true) async throws {
        var configuration = fixture.configuration
        configuration.providers.append(
            ProviderConfiguration(
                name: "git", type: "protected-resource",
                settings: ["resource": .string(server.url.absoluteString), "allowsLoopbackHTTP": true],
                silentDeadline: SilentDeadline(.seconds(3600))))
        configuration.routesByDestination = routes
        try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
        try await fixture.keep(AccountID(account: "ada", realm: "git"), at: server.url)
        #expect(try await fixture.signIn().status == 0)
    }

    private func explained(_ address: String, _ fixture: ToolFixture) async throws -> JSONValue {
        let result = try await fixture.run("explain", "--for", address, "--json")
        return try #require(JSONValue(parsing: Data(result.output.utf8))["request"], "\(result)")
    }

    @Test("The request goes to the account that the address names, and explain says so before")
    func named() async throws {
        try await withTool { fixture in
            let server = try await start()
            let other = try await start()
            try await signIn(fixture, server)
            let report = try await explained("\(server.url)/x?secret=1", fixture)
            #expect(report["account"] == "git/ada" && report["rule"] == "destination", "\(report)")
            #expect(report["provider"] == "git" && report["authorization"] == "Bearer", "\(report)")
            #expect(report["address"]?.stringValue == "\(server.url)/x", "\(report)")
            let text = try await fixture.run("explain", "--for", "\(server.url)/x").output
            #expect(text.contains("because \"git\" names \(server.url)") && !text.contains("token-of-ada"), "\(text)")
            #expect(tokens.withLock { $0 }.isEmpty)
            #expect(try await fixture.run("request", "\(server.url)/x").output == "token-of-ada")
            let elsewhere = try await explained("\(other.url)/x", fixture)
            #expect(elsewhere["provider"] == "home" && elsewhere["rule"] == "selection", "\(elsewhere)")
            // An account that the command names comes first.
            let robin = try #require(elsewhere["account"]?.stringValue)
            let named = try await fixture.run("explain", "--account", robin, "--for", "\(server.url)/x", "--json")
            let request = try JSONValue(parsing: Data(named.output.utf8))["request"]
            #expect(request?["rule"] == "account" && request?["account"]?.stringValue == robin, "\(named)")
            await server.stop()
            await other.stop()
        }
    }

    @Test("Where nobody is signed in, explain says why nothing is sent, and nothing is")
    func nobody() async throws {
        try await withTool { fixture in
            let server = try await start()
            try await signIn(fixture, server)
            #expect(try await fixture.run("logout", "git/ada").status == 0)
            let report = try await explained("\(server.url)/x", fixture)
            #expect(
                report["account"]?.stringValue == nil && report["error"]?.stringValue?.isEmpty == false, "\(report)")
            let result = try await fixture.run("request", "\(server.url)/x")
            #expect(result.status == 3 && result.output.isEmpty && tokens.withLock { $0 }.isEmpty, "\(result)")
            await server.stop()
        }
    }

    @Test("The token of a suspended session is sent while it is valid, and explain says so", arguments: [true, false])
    func suspended(isValid: Bool) async throws {
        try await withTool { fixture in
            let server = try await start()
            try fixture.configure(fixture.insForgeProvider(named: "home"))
            try await fixture.keep(AccountID(account: "1", realm: "home"), at: fixture.insForge.url) {
                $0.suspension = Suspension("test", because: "It was refused.", retries: .never, at: $0.issuedAt)
                if !isValid { $0.expiresAt = $0.issuedAt - 1 }
            }
            let report = try await explained("\(server.url)/x", fixture)
            #expect(report["account"] == "home/1", "\(report)")
            #expect(report["authorization"]?.stringValue == (isValid ? "Bearer" : nil), "\(report)")
            let isRefused = report["error"]?.stringValue?.contains("needs a sign-in") == true
            #expect(isRefused != isValid, "\(report)")
            let result = try await fixture.run("request", "\(server.url)/x")
            #expect(result.output == (isValid ? "token-of-1" : ""), "\(result)")
            await server.stop()
        }
    }

    @Test("Nothing is sent as a guest without a token, and explain says so")
    func guest() async throws {
        try await withTool { fixture in
            let server = try await start()
            try fixture.configure(ProviderConfiguration(name: "guest", type: "anonymous", settings: [:]))
            let report = try await explained("\(server.url)/x", fixture)
            #expect(report["error"]?.stringValue?.contains("\"guest\" has no token") == true, "\(report)")
            #expect(report["provider"] == "guest" && report["authorization"]?.stringValue == nil, "\(report)")
            let result = try await fixture.run("request", "\(server.url)/x")
            #expect(result.status != 0 && tokens.withLock { $0 }.isEmpty, "\(result)")
            await server.stop()
        }
    }

    @Test("Switched off, the active account acts, as without a name")
    func off() async throws {
        try await withTool { fixture in
            let server = try await start()
            try await signIn(fixture, server, routes: false)
            let report = try await explained("\(server.url)/x", fixture)
            #expect(report["provider"] == "home" && report["rule"] == "selection", "\(report)")
            await server.stop()
        }
    }
}
