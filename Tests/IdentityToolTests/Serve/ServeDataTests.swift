import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("What identity serve keeps", .endsInTime)
struct ServeDataTests {
    private let fixture: ServeFixture

    init() throws {
        fixture = try ServeFixture()
    }

    private func login(_ provider: String, _ name: String, _ password: String) async throws -> ToolProcess.Result {
        try await fixture.run(
            "login", "--provider", provider, "--username", name, "--password-stdin", input: password + "\n")
    }

    @Test("A session outlives a restart: the token is good, and it can be refreshed")
    func restart() async throws {
        let data = fixture.path("data")
        let users = try fixture.write(
            #"{"users": [{"username": "grace", "password": "Hopper-1906"}]}"#, to: "users.json")
        var announced: JSONValue?
        var tokens: [String] = []
        try await fixture.serve("--data", data, "--users", users, "--access-token-lifetime", "1") {
            announced = $0
            let login = try await login("thunderid", "grace", "Hopper-1906")
            #expect(login.status == 0, "\(login.errors)")
            tokens.append(try await fixture.run("token").output)
        }
        try await fixture.serve("--data", data, "--access-token-lifetime", "1") {
            #expect($0 == announced, "the same addresses, people, keys and store")
            // The restart may have taken less than the second for which the token is good. It is printed until then.
            var token = try await fixture.run("token")
            while tokens.contains(token.output) { token = try await fixture.run("token") }
            #expect(token.status == 0, "\(token.errors)")
        }
        try await fixture.serve("--data", data) { _ in
            #expect(try await fixture.run("token").status == 0)
            let session = try await login("insforge", "grace@example.org", "Hopper-1906")
            #expect(session.status == 0)
            tokens.append(try await fixture.run("token").output)
        }
        try await fixture.serve("--data", data) { _ in
            let request = try await fixture.run(
                "request", "\(announced?["servers"]?["insforge"]?["url"]?.stringValue ?? "")/api/auth/sessions/current")
            #expect(request.status == 0, "\(request.errors)")
            #expect(request.output.contains("grace@example.org"))
        }
    }

    @Test("A password that was changed is not announced, and a person who was removed is not named")
    func changedPeople() async throws {
        let data = fixture.path("data")
        try await fixture.serve("--data", data) { announced in
            let dashboard = try #require(announced["dashboard"]?.stringValue)
            func send(_ path: String, _ form: [(name: String, value: String)]? = nil) async throws -> (Int, String) {
                var request = URLRequest(url: try #require(URL(string: dashboard + path)))
                if let form {
                    request.httpMethod = "POST"
                    request.setValue(FormText.contentType, forHTTPHeaderField: "Content-Type")
                    request.httpBody = Data(FormText.encode(form).utf8)
                }
                let (body, head) = try await DefaultTransport.make().data(for: request)
                return (head.statusCode, String(decoding: body, as: UTF8.self))
            }
            let pieces = try await send("/oidc?tab=faults").1.components(separatedBy: #"name="token" value=""#)
            let token = String(try #require(pieces.dropFirst().first).prefix { $0 != "\"" })
            let change = [
                ("token", token), ("id", LocalThunderIDServer.User().id), ("name", "Ada"),
                ("email", "ada@example.org"), ("username", "ada"), ("password", "Difference-2"),
            ]
            let changed = try await send("/thunderid/person", change.map { (name: $0.0, value: $0.1) }).0
            let removal = [("token", token), ("id", LocalOpenIDConnectServer.User().id), ("action", "remove")]
            let removed = try await send("/oidc/person", removal.map { (name: $0.0, value: $0.1) }).0
            #expect(changed == 303 && removed == 303)
        }
        let run = try ToolProcess.Run(["serve", "--data", data], environment: fixture.environment)
        await run.waits(for: "Dashboard")
        run.interrupt()
        let lines = await run.finish().output.split(separator: "\n")
        let known = LocalInsForgeServer.User()
        for (title, people) in [
            ("ThunderID ", "  user ada"), ("InsForge ", "  user \(known.email), password \(known.password)"),
            ("OpenID Connect ", "  no users yet"),
        ] {
            #expect(lines.contains { $0.hasPrefix(title) && $0.hasSuffix(people) }, "\(lines)")
        }
    }

    @Test("The folder and its files are their owner's alone")
    func permissions() async throws {
        try await fixture.serve("--data", fixture.path("data")) { _ in }
        let mode = { (name: String) in
            try FileManager.default.attributesOfItem(atPath: fixture.path(name))[.posixPermissions] as? Int
        }
        #expect(try mode("data") == 0o700)
        for name in ["serve.json", "thunderid.json", "insforge.json", "oidc.json"] {
            #expect(try mode("data/\(name)") == 0o600, "\(name)")
        }
    }

    @Test("A second serve on the same folder is refused while the first one runs")
    func locked() async throws {
        let data = fixture.path("data")
        let first = try ToolProcess.Run(["serve", "--data", data], environment: fixture.environment)
        await first.waits(for: "Dashboard")
        let second = try await fixture.run("serve", "--data", data)
        #expect(second.status == 5)
        #expect(
            second.errors == "identity serve: Another process uses \(data). End it, or name another folder.\n")
        first.interrupt()
        #expect(await first.finish().status == 0)
    }

    @Test(
        "A broken file is told by its name and stays as it is",
        arguments: ["serve.json", "thunderid.json", "insforge.json", "oidc.json"])
    func broken(name: String) async throws {
        try await fixture.serve("--data", fixture.path("data")) { _ in }
        let good = try fixture.text(of: "data/\(name)")
        let half = String(good.prefix(good.count / 2))
        let file = FileHandle(forWritingAtPath: fixture.path("data/\(name)"))
        try file?.truncate(atOffset: UInt64(half.utf8.count))
        try file?.close()
        let result = try await fixture.run("serve", "--data", fixture.path("data"))
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("identity serve: \(fixture.path("data/\(name)")) cannot be used: "))
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(try fixture.text(of: "data/\(name)") == half)
    }

    @Test("A folder that others can open, or that is a file, is refused")
    func unsafe() async throws {
        try FileManager.default.createDirectory(
            at: fixture.folder.appendingPathComponent("open"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let open = try await fixture.run("serve", "--data", fixture.path("open"))
        #expect(open.status == 1 && open.errors.contains("is not private: other users can open it"), "\(open.errors)")
        let file = try fixture.write("", to: "file")
        let other = try await fixture.run("serve", "--data", file)
        #expect(other.status == 1 && other.errors.contains("it is not a folder"), "\(other.errors)")
    }

    @Test("A folder that vanishes is told, and what is not kept is not promised")
    func vanished() async throws {
        let result = try await fixture.serve("--data", fixture.path("data")) { announced in
            try FileManager.default.removeItem(atPath: fixture.path("data"))
            let settings = announced["configuration"]?["providers"]?.arrayValue?[1]["settings"]
            var signUp = URLRequest(
                url: try #require(URL(string: "\(settings?["baseURL"]?.stringValue ?? "")/api/auth/users")))
            signUp.httpMethod = "POST"
            signUp.setValue("Bearer \(settings?["anonKey"]?.stringValue ?? "")", forHTTPHeaderField: "Authorization")
            signUp.setValue("application/json", forHTTPHeaderField: "Content-Type")
            signUp.httpBody = Data(#"{"email": "new@example.org", "password": "correct horse"}"#.utf8)
            #expect(try await DefaultTransport.make().data(for: signUp).1.statusCode == 503)
        }
        #expect(result.errors.contains("cannot be written"), "\(result.errors)")
        #expect(result.errors.contains("Requests that change something fail."))
    }
}
