import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// `identity git-credential`.
@Suite(.endsInTime) struct GitCredentialTests {
    /// A server with one repository, of which git lists the branches. It takes the token as the password.
    private static func server(
        issuer: String = "", isTaken: @escaping @Sendable (_ password: String) -> Bool = { $0 == "token-of-ada" }
    ) async throws -> LocalHTTPServer {
        try await LocalHTTPServer.start { request in
            if request.path == "/.well-known/oauth-protected-resource" {
                return .json([
                    "resource": .string("http://\(request.header("Host") ?? "")"),
                    "authorization_servers": [.string(issuer)], "scopes_supported": ["read"],
                ])
            }
            let words = (request.header("Authorization") ?? "").split(separator: " ")
            let pair = Data(base64Encoded: words.last.map(String.init) ?? "").map {
                String(decoding: $0, as: UTF8.self)
            }
            guard words.first == "Basic", let pair, pair.hasPrefix("oauth2:"), isTaken(String(pair.dropFirst(7)))
            else {
                return LocalResponse(
                    status: 401, headers: [("WWW-Authenticate", "Bearer"), ("WWW-Authenticate", "Basic realm=\"git\"")])
            }
            guard request.path == "/notes.git/info/refs" else { return LocalResponse(status: 404) }
            return .text(String(repeating: "a", count: 40) + "\trefs/heads/main\n")
        }
    }

    /// `git ls-remote` with the built tool as the only helper.
    private func list(_ repository: String, _ fixture: ToolFixture) async throws -> ToolProcess.Result {
        let environment = fixture.environment.merging([
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "", "SSH_ASKPASS": "",
        ]) { $1 }
        return try await ToolProcess.shell(
            "git -c credential.helper=\"!'$0' git-credential\" ls-remote '\(repository)'", environment: environment)
    }

    private static func ask(_ address: URL, path: String = "notes.git") -> String {
        "protocol=\(address.scheme ?? "")\nhost=\(address.host ?? ""):\(address.port ?? 0)\npath=\(path)\n\n"
    }

    @Test("git lists the branches of a repository with the token, and gets none for another server")
    func git() async throws {
        try await withTool { fixture in
            let (named, other) = (try await Self.server(), try await Self.server())
            try await fixture.nameWithSession(named.url)
            let listed = try await list("\(named.url)/notes.git", fixture)
            #expect(listed.status == 0 && listed.output.hasSuffix("\trefs/heads/main\n"), "\(listed.errors)")
            // A repository may send git to any address, such as that of a submodule.
            let hostile = try await list("\(other.url)/notes.git", fixture)
            #expect(hostile.status != 0 && hostile.errors.contains("No provider of the configuration names"))
            #expect(!(listed.errors + hostile.errors + hostile.output).contains("token-of-ada"))
            await named.stop()
            await other.stop()
        }
    }

    @Test("A password that the server has refused is another one the next time")
    func erase() async throws {
        try await withTool { fixture in
            let refused = Locked("")
            let server = try await Self.server(issuer: fixture.openIDConnect.issuer) { password in
                refused.withLock { $0 != password && !$0.isEmpty }
            }
            try await fixture.signIn(toResource: server.url.absoluteString)
            let question = Self.ask(server.url)
            let first = try await fixture.run("git-credential", "get", input: question)
            let password = try #require(first.output.firstMatch(of: /password=(.+)/)?.1, "\(first.errors)")
            refused.withLock { $0 = String(password) }
            #expect(try await list("\(server.url)/notes.git", fixture).status != 0)
            let again = try await list("\(server.url)/notes.git", fixture)
            #expect(again.status == 0, "\(again.errors)")
            // A password that is none of the store's changes nothing.
            let before = try await fixture.run("git-credential", "get", input: question).output
            let foreign = question.dropLast() + "password=another\n\n"
            #expect(try await fixture.run("git-credential", "erase", input: String(foreign)).status == 0)
            #expect(try await fixture.run("git-credential", "get", input: question).output == before)
            await server.stop()
        }
    }

    @Test("The answer has a name, the token and its end, and nothing is stored")
    func answer() async throws {
        try await withTool { fixture in
            let server = try await Self.server()
            try await fixture.nameWithSession(server.url)
            let answer = try await fixture.run("git-credential", "get", input: Self.ask(server.url))
            #expect(
                answer.output.wholeMatch(of: /username=oauth2\npassword=token-of-ada\npassword_expiry_utc=\d+\n/) != nil
            )
            let known = "username=ada\n" + Self.ask(server.url)
            #expect(try await fixture.run("git-credential", "get", input: known).output.hasPrefix("password="))
            for action in ["store", "capability"] {
                let result = try await fixture.run("git-credential", action, input: "password=secret\n\n")
                #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty)
            }
            #expect(server.log.count == 0)
            await server.stop()
        }
    }

    @Test("A path is compared by whole segments, and no path is no answer where one is named")
    func path() async throws {
        try await withTool { fixture in
            let server = try await Self.server()
            try await fixture.nameWithSession(server.url, path: "/team")
            for (path, isNamed) in [
                ("team/notes.git", true), ("team", true), ("teams/notes.git", false), ("", false),
                ("team/../other.git", false), ("team/%2e%2e/other.git", false), ("team\\..\\other", false),
            ] {
                let result = try await fixture.run("git-credential", "get", input: Self.ask(server.url, path: path))
                #expect(result.output.isEmpty != isNamed && result.status == 0, "\(path): \(result)")
            }
            await server.stop()
        }
    }

    @Test("Scheme, host and port are compared exactly")
    func exact() async throws {
        try await withTool { fixture in
            let server = try await Self.server()
            try await fixture.nameWithSession(server.url)
            let port = server.url.port ?? 0
            for (scheme, host) in [
                ("https", "127.0.0.1:\(port)"), ("http", "127.0.0.1"), ("http", "127.0.0.1:\(port ^ 1)"),
                ("http", "localhost:\(port)"), ("ssh", "127.0.0.1:\(port)"), ("", "127.0.0.1:\(port)"),
                ("http", "ada@127.0.0.1:\(port)"), ("http", "evil.example/@127.0.0.1:\(port)"),
                ("http", "127.0.0.1:\(port).evil.example"), ("http", "127.0.0.1:\(port)#.evil.example"), ("http", ""),
            ] {
                let input = "protocol=\(scheme)\nhost=\(host)\n\n"
                let result = try await fixture.run("git-credential", "get", input: input)
                #expect(result.output.isEmpty && result.status == 0, "\(host): \(result)")
                #expect(!result.errors.isEmpty && !result.errors.contains("token-of-ada"), "\(host): \(result)")
            }
            await server.stop()
        }
    }

    @Test("Input that git never writes has no answer, and none of it is printed")
    func hostile() async throws {
        try await withTool { fixture in
            let server = try await Self.server()
            try await fixture.nameWithSession(server.url)
            let good = Self.ask(server.url)
            for input in [
                "", "\n", "host=evil.example\n\n", "protocol=http\n\n", "nonsense\n" + good, "host=a\n" + good,
                "path=\u{0}\n" + good, "user\u{1B}[2J=a\n" + good, good.replacing("\n", with: "\r\u{1B}\n"),
                String(repeating: "a", count: 1 << 20) + good, String(repeating: "x[]=1\n", count: 1000) + good,
            ] {
                let result = try await fixture.run("git-credential", "get", input: input)
                #expect(result.output.isEmpty && result.status == 0, "\(input.prefix(40)): \(result.output)")
                #expect(!result.errors.isEmpty && result.errors.utf8.count < 400, "\(input.prefix(40))")
                #expect(!result.errors.contains("\u{1B}") && !result.errors.contains("\u{0}"))
            }
            await server.stop()
        }
    }

    @Test("Nobody is signed in: the status says so, and git goes on")
    func nobody() async throws {
        try await withTool { fixture in
            let server = try await Self.server()
            try fixture.name(server.url)
            let result = try await fixture.run("git-credential", "get", input: Self.ask(server.url))
            #expect(
                result.status == 3 && result.output.isEmpty && result.errors.contains("identity login"), "\(result)")
            try await fixture.nameWithSession(server.url) { $0.tokenType = "DPoP" }
            let bound = try await fixture.run("git-credential", "get", input: Self.ask(server.url))
            #expect(bound.status == 0 && bound.output.isEmpty && bound.errors.contains("DPoP"), "\(bound)")
            await server.stop()
        }
    }

    @Test("Of several accounts the active one acts, and none where it is not among them")
    func accounts() async throws {
        try await withTool { fixture in
            let server = try await Self.server()
            try await fixture.nameWithSession(server.url)
            try await fixture.keep(AccountID(account: "grace", realm: "git"), at: server.url)
            let question = Self.ask(server.url)
            for name in ["ada", "grace"] {
                #expect(try await fixture.run("switch", "git/\(name)").status == 0)
                let answer = try await fixture.run("git-credential", "get", input: question)
                #expect(answer.output.contains("password=token-of-\(name)\n"), "\(answer.errors)")
            }
            let named = try await fixture.run("git-credential", "--account", "git/ada", "get", input: question)
            #expect(named.output.contains("password=token-of-ada\n"), "\(named.errors)")
            // Nobody else acts in the place of the active account.
            let active = try await fixture.run("switch", "git/grace")
            try await fixture.end(
                AccountID(account: "grace", realm: "git"),
                #"{"endReason": "It was revoked.", "signedInAt": 0, "backend": "\#(server.url)"}"#)
            let ended = try await fixture.run("git-credential", "get", input: question)
            #expect(ended.status == 3 && ended.output.isEmpty && ended.errors.contains("git/grace"), "\(ended)")
            try fixture.damageSession(of: active)
            let damaged = try await fixture.run("git-credential", "get", input: question)
            #expect(damaged.status == 1 && damaged.output.isEmpty, "\(damaged)")
            #expect(damaged.errors.contains("is damaged"), "\(damaged)")
            try await fixture.keep(AccountID(account: "ada", realm: "home"), at: fixture.insForge.url)
            let elsewhere = try await fixture.run("git-credential", "--account", "home/ada", "get", input: question)
            #expect(elsewhere.status == 0 && elsewhere.output.isEmpty, "\(elsewhere)")
            #expect(elsewhere.errors.contains("is not an account of \"git\""), "\(elsewhere)")
            await server.stop()
        }
    }
}
