import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityStoreFormat
import TestSupport
import Testing

// A tool that waits for ever must not keep the other tests waiting.
@Suite(.endsInTime) struct InsightTests {
    @Test("Providers are listed in order, with their accounts")
    func providers() async throws {
        try await withTool { fixture in
            let account = try await fixture.signIn().output.trimmingCharacters(in: .newlines)
            let lines = try await fixture.run("providers").output.split(separator: "\n")
            #expect(lines.count == 3 && lines[0].hasPrefix("work  thunderid") && lines[1].contains(account))
        }
    }

    /// The name of the active account's person.
    private func nameOfActive(_ fixture: ToolFixture) async throws -> String {
        let words = try await fixture.run("whoami").output.trimmingCharacters(in: .newlines)
        return words.components(separatedBy: "  ").last ?? words
    }

    @Test("Explain tells what every provider answered, and who is active")
    func explain() async throws {
        try await withTool { fixture in
            let account = try await fixture.signIn().output.trimmingCharacters(in: .newlines)
            let name = try await nameOfActive(fixture)
            let text = try await fixture.run("explain").output
            #expect(text.contains("work: nobody has signed in") && text.contains("active: \(name)\n"), "\(text)")
            #expect(name != account && !text.contains(account), "\(text)")
            #expect(try await fixture.run("explain", "-v").output.contains("active: \(account)\n"))
            let report = try JSONValue(parsing: Data(try await fixture.run("explain", "--json").output.utf8))
            #expect(report["active"]?.stringValue == account)
            #expect(report["attempts"]?.arrayValue?.map { $0["outcome"] } == ["none", "account", "none"])
        }
    }

    @Test("Explain chooses no account, also where the chosen one belongs to another configuration")
    func keepsChoice() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            try await fixture.keep(AccountID(account: "1", realm: "other"), at: fixture.insForge.url)
            try fixture.configure(fixture.insForgeProvider(named: "other"))
            let store = try fixture.configuration.store.open()
            let before = try await store.record(for: .currentAccount(ofProfile: "default"))
            for words in [["explain"], ["explain", "--for", "\(fixture.insForge.url)/x"]] {
                let result = try await Tool.run(words, environment: fixture.environment)
                #expect(result.output.contains("active: other/1\n"), "\(result)")
            }
            let after = try await store.record(for: .currentAccount(ofProfile: "default"))
            #expect(before?.content != nil && after?.generation == before?.generation)
        }
    }

    @Test("Explain says that the chosen account cannot be read")
    func damagedChoice() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let choice = fixture.folder.appendingPathComponent(
                "state/identity/" + RecordPath.path(collection: "current-accounts", name: "profile default"))
            try Data("damaged".utf8).write(to: choice)
            let text = try await fixture.run("explain").output
            #expect(text.contains("active: none, ") && text.contains(choice.lastPathComponent), "\(text)")
        }
    }

    @Test("Explain names the account whose session has ended, and no command uses another one before a decision")
    func endedSession() async throws {
        try await withTool { fixture in
            let other = try await fixture.signIn().output.trimmingCharacters(in: .newlines)
            #expect(try await fixture.signInAtThunderID().status == 0)
            let account = fixture.thunderIDAccount
            let name = try await nameOfActive(fixture)
            fixture.thunderID.revokeFamilies(ofUser: fixture.thunderID.user.id)
            try await fixture.expireToken()
            for command in ["token", "token", "whoami"] {
                let result = try await fixture.run(command)
                #expect(result.status == 3 && result.output.isEmpty, "\(result.output)")
                #expect(result.errors.contains("The session of \(name) has ended: "), "\(result.errors)")
            }
            let text = try await fixture.run("explain").output
            #expect(text.contains("active: none, the session of \(name) has ended: "), "\(text)")
            let report = try JSONValue(parsing: Data(try await fixture.run("explain", "--json").output.utf8))
            #expect(report["active"] == nil || report["active"] == .null)
            #expect(report["reason"]?.stringValue?.contains("\(account) has ended") == true)
            #expect(report["attempts"]?.arrayValue?.map { $0["outcome"] } == ["none", "account", "none"])
            #expect(try await fixture.run("logout", account.id).status == 0)
            #expect(try await fixture.run("whoami").output.hasPrefix(other + "  "))
        }
    }

    @Test("Every command says for whom an account stands in, and a login is for that one")
    func fallback() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let home = try await nameOfActive(fixture)
            #expect(try await fixture.signInAtThunderID().status == 0)
            let (ended, name) = (fixture.thunderIDAccount, try await nameOfActive(fixture))
            let file = fixture.configurationFile
            var document = try JSONValue(parsing: Data(contentsOf: file)).objectValue ?? [:]
            document["onSessionEnd"] = "fallBack"
            try JSONEncoder().encode(JSONValue.object(document)).write(to: file)
            fixture.thunderID.revokeFamilies(ofUser: fixture.thunderID.user.id)
            try await fixture.expireToken()
            #expect(try await fixture.run("token").status == 3)
            for command in ["whoami", "token"] {
                let result = try await fixture.run(command)
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.errors.contains("acting as \(home), instead of \(name), whose"), "\(result.errors)")
            }
            let row = try JSONValue(parsing: Data(try await fixture.run("whoami", "--json").output.utf8))
            #expect(row["fallback"]?["from"]?["account"]?.stringValue == ended.account)
            let login = try await fixture.run(
                "login", "--username", fixture.thunderID.user.username, "--password-stdin",
                input: fixture.thunderID.user.password.reveal() + "\n")
            #expect(login.output == "\(ended)\n", "\(login.errors)")
        }
    }

    @Test("Events tell of other processes' sign-ins, and end with Ctrl-C")
    func events() async throws {
        try await withTool { fixture in
            let (run, terminal) = try fixture.start("events", "--json")
            await terminal.waits(for: "Waiting")
            let account = try await fixture.signIn().output.trimmingCharacters(in: .newlines)
            await run.waits(for: #""event":"account.signed_in""#)
            run.interrupt()
            let result = await run.finish()
            #expect(result.status == 0)
            let events = try result.output.split(separator: "\n").map { try JSONValue(parsing: Data($0.utf8)) }
            #expect(events.first { $0["event"] == "account.signed_in" }?["account"]?.stringValue == account)
        }
    }

    @Test("Events tell a refresh, a sign-out and a sign-in apart, by name, and nothing from before they began")
    func kinds() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            let call = try fixture.call("events")
            await call.waits(for: "Waiting")
            #expect(try await fixture.run("token", "--fresh").status == 0)
            await call.waits(for: " was stored")
            #expect(try await fixture.run("logout").status == 0)
            await call.waits(for: " is signed out")
            #expect(try await fixture.signInAtThunderID().status == 0)
            await call.waits(for: " is signed in")
            call.cancel()
            let output = await call.finish().output
            #expect(!output.contains(fixture.thunderIDAccount.id), "\(output)")
            let lines = output.split(separator: "\n")
            let order = [" was stored", " is signed out", " is signed in"].map { kind in
                lines.firstIndex { $0.contains(kind) } ?? -1
            }
            #expect(order.first == 0 && order == order.sorted(), "\(output)")
        }
    }

    @Test("A session that cannot be read is not told as a sign-in")
    func unreadable() async throws {
        try await withTool { fixture in
            let call = try fixture.call("events", "--json")
            await call.waits(for: "Waiting")
            try await fixture.end(AccountID(account: "1", realm: "home"), "no session")
            try await fixture.keep(AccountID(account: "2", realm: "home"), at: fixture.insForge.url)
            await call.waits(for: #""account":"home/2","event":"account.signed_in""#)
            call.cancel()
            let output = await call.finish().output
            #expect(!output.contains("home/1"), "\(output)")
        }
    }

    @Test("Events do not begin where the sessions cannot be read, because a refresh would be told as a sign-in")
    func unreadableAtFirst() async throws {
        try await withTool { fixture in
            try await fixture.keep(AccountID(account: "1", realm: "home"), at: fixture.insForge.url)
            let place = try #require(try fixture.configuration.store.filesSealedWithKeyFile())
            try FileManager.default.removeItem(atPath: place.keyFile)
            let result = try await fixture.run("events")
            #expect(result.status != 0 && result.errors.contains("The key of the token store"), "\(result)")
            #expect(result.output.isEmpty && !result.errors.contains("Waiting"), "\(result)")
        }
    }

    @Test("A sign-out is told once, and so is the account that is active after it")
    func signOut() async throws {
        try await withTool { fixture in
            let home = try await fixture.signIn().output.trimmingCharacters(in: .newlines)
            #expect(try await fixture.signInAtThunderID().status == 0)
            let call = try fixture.call("events", "--json")
            await call.waits(for: "Waiting")
            #expect(try await fixture.run("logout").status == 0)
            #expect(try await fixture.run("whoami").output.hasPrefix(home))
            // Two changes within one look would be told as one.
            await call.waits(for: "\"account\":\"\(home)\",\"event\":\"account.selected\"")
            #expect(try await fixture.run("logout").status == 0)
            await call.waits(for: "\"account\":\"\(home)\",\"event\":\"account.signed_out\"")
            call.cancel()
            let events = try await call.finish().output.split(separator: "\n")
                .map { try JSONValue(parsing: Data($0.utf8)) }
                .map { "\($0["event"]?.stringValue ?? "") \($0["account"]?.stringValue ?? "nobody")" }
            #expect(Set(events).count == events.count, "\(events)")
            #expect(events.contains("account.selected \(home)") && events.contains("account.signed_out \(home)"))
        }
    }

    @Test("The doctor is content after a sign-in, and names what is broken with its remedy")
    func doctor() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let healthy = try await fixture.run("doctor")
            #expect(healthy.status == 0, "\(healthy.output)")
            #expect(!healthy.output.contains("✘"))
            await fixture.openIDConnect.stop()
            let ill = try await fixture.run("doctor", "--json")
            #expect(ill.status == 1)
            let bad = try JSONValue(parsing: Data(ill.output.utf8)).arrayValue?.filter { $0["verdict"] == "bad" }
            #expect(bad?.map { $0["subject"] } == ["any backend"])
            #expect(bad?.allSatisfy { $0["fix"]?.stringValue?.isEmpty == false } == true)
        }
    }

    @Test("Several doctors at once find the store sound")
    func doctors() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            try await withThrowingTaskGroup(of: ToolProcess.Result.self) { group in
                for _ in 0..<8 { group.addTask { try await fixture.run("doctor", "--offline") } }
                for try await result in group { #expect(result.status == 0, "\(result.output)") }
            }
        }
    }

    @Test(
        "The doctor warns of servers that do not name themselves and share a redirect URI (RFC 9700 section 4.4.2.2)",
        .guards("mix-up by redirect URI"), arguments: [(false, true), (false, false), (true, true)])
    func mixUp(namesItself: Bool, sharesRedirectURI: Bool) async throws {
        let address = Locked("")
        let server = try await LocalHTTPServer.start { _ in
            let issuer = address.withLock { $0 }
            return .json([
                "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
                "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
                "authorization_response_iss_parameter_supported": .bool(namesItself),
            ])
        }
        address.withLock { $0 = server.url.absoluteString }
        try await withTool { fixture in
            var configuration = fixture.configuration
            configuration.providers.append(
                ProviderConfiguration(
                    name: "other", type: "openid-connect",
                    settings: [
                        "issuer": .string(server.url.absoluteString), "clientID": "app", "allowsLoopbackHTTP": true,
                        "redirectURI": .string("http://127.0.0.1/" + (sharesRedirectURI ? "callback" : "other")),
                    ]))
            try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
            let doctor = try await fixture.run("doctor", "--json")
            let findings = try JSONValue(parsing: Data(doctor.output.utf8)).arrayValue ?? []
            let backend = findings.first { $0["subject"] == "other backend" }
            let warning = findings.first { $0["verdict"] == "warning" }
            #expect(backend?["verdict"] == "ok")
            let isMeant = !namesItself && sharesRedirectURI
            #expect(warning?["subject"] == (isMeant ? "other redirect" : nil))
            #expect(warning?["detail"]?.stringValue?.hasSuffix("of any") == (isMeant ? true : nil))
        }
        await server.stop()
    }

    @Test("A certificate that is not trusted is not \"try again later\": doctor and login say what to do")
    func untrustedCertificate() async throws {
        let server = try await TLSServer.start(host: "localhost")
        defer { server.stop() }
        try await withTool { fixture in
            var configuration = fixture.configuration
            configuration.providers = [
                ProviderConfiguration(
                    name: "any", type: "openid-connect",
                    settings: [
                        "issuer": .string("https://localhost:\(server.port)"), "clientID": "app",
                        "redirectURI": "http://127.0.0.1/callback",
                    ])
            ]
            try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
            let doctor = try await fixture.run("doctor", "--json")
            let findings = try JSONValue(parsing: Data(doctor.output.utf8)).arrayValue ?? []
            let backend = try #require(findings.first { $0["subject"] == "any backend" })
            #expect(backend["verdict"] == "bad")
            #expect(backend["detail"]?.stringValue?.contains("is not trusted") == true)
            let login = try await fixture.run("login", "--provider", "any", "--no-browser")
            #expect(login.status == 1)
            #if os(Linux)
            #expect(backend["fix"]?.stringValue?.contains("update-ca-certificates") == true)
            #expect(login.errors.contains("update-ca-certificates"))
            #endif
        }
    }

    #if os(Linux)
    @Test("The transport in use is named, and the variable that chooses it changes no configuration")
    func transport() async throws {
        try await withTool { fixture in
            for (value, name) in [("", "libcurl/"), ("urlsession", "URLSession")] {
                let doctor = await
                    (try ToolProcess.Run(
                        ["doctor", "--json"],
                        environment: fixture.environment.merging(["SWIFT_IDENTITY_TRANSPORT": value]) { $1 })).finish()
                let findings = try JSONValue(parsing: Data(doctor.output.utf8)).arrayValue ?? []
                let transport = try #require(findings.first { $0["subject"] == "transport" })
                #expect(transport["detail"]?.stringValue?.hasPrefix(name) == true && transport["verdict"] == "ok")
                #expect(!findings.contains { $0["subject"] == "environment" })
            }
        }
    }
    #endif

    @Test("A certificate that trustedCertificates or SSL_CERT_FILE names is trusted, for this program alone")
    func trustedCertificates() async throws {
        let server = try await TLSServer.start(host: "localhost")
        try await withTool { fixture in
            let file = fixture.folder.appendingPathComponent("authority.pem")
            try server.certificate.write(to: file)
            for isSetting in [true, false] {
                var configuration = fixture.configuration
                var settings: [String: JSONValue] = [
                    "issuer": .string("https://localhost:\(server.port)"), "clientID": "app",
                    "redirectURI": "http://127.0.0.1/callback",
                ]
                if isSetting { settings["trustedCertificates"] = [.string(file.path)] }
                configuration.providers = [
                    ProviderConfiguration(name: "any", type: "openid-connect", settings: .object(settings))
                ]
                try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
                // At a port where nobody listens, for others than this machine.
                let proxy = ["https_proxy": "http://127.0.0.1:\(FreePort.find())", "NO_PROXY": "localhost"]
                let variables = isSetting ? proxy : ["SSL_CERT_FILE": file.path]
                let doctor = await
                    (try ToolProcess.Run(
                        ["doctor", "--json"], environment: fixture.environment.merging(variables) { $1 })).finish()
                let findings = try JSONValue(parsing: Data(doctor.output.utf8)).arrayValue ?? []
                let backend = try #require(findings.first { $0["subject"] == "any backend" })
                // The server is no identity server.
                #expect(backend["detail"]?.stringValue?.contains("trusted") == false, "\(isSetting): \(backend)")
            }
        }
        server.stop()
    }

    #if os(Linux)
    @Test("A file of certificates that is written later counts beside the others from then on")
    func laterCertificates() async throws {
        let server = try await TLSServer.start(host: "localhost")
        let other = try await TLSServer.start(host: "other.example")
        try await withTool { fixture in
            let files = ["first.pem", "later.pem"].map { fixture.folder.appendingPathComponent($0) }
            try server.certificate.write(to: files[0])
            let variables = ["SSL_CERT_FILE": files[0].path, "CURL_CA_BUNDLE": files[1].path]
            let terminal = try PseudoTerminal()
            let run = try ToolProcess.Run(
                ["init"], environment: fixture.environment.merging(variables) { $1 }, at: terminal)
            let address = "https://localhost:\(server.port)"
            await terminal.answers("Backend: ", with: address)
            await terminal.waits(for: "Backend: ")
            try other.certificate.write(to: files[1])
            terminal.type(address)
            await terminal.waits(for: "Backend: ")
            run.interrupt()
            #expect(await run.finish().status == 130)
            let shown = terminal.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            // The server is no identity server.
            #expect(shown.contains("can be read") && shown.contains("and no JSON object"), "\(shown)")
        }
        server.stop()
        other.stop()
    }
    #endif

    @Test("A configuration is written once, checked first, for the owner alone")
    func initialise() async throws {
        try await withTool { fixture in
            let file = fixture.folder.appendingPathComponent("new/identity.json").path
            let arguments = ["config", "init", "--config", file, "--type", "insforge"]
            let broken = try await Tool.run(arguments, environment: fixture.environment)
            #expect(broken.status == 78 && broken.errors.contains("baseURL"))
            #expect(!FileManager.default.fileExists(atPath: file))
            let complete = arguments + ["--set", "baseURL=https://example.insforge.app"]
            #expect(
                try await Tool.run(complete, environment: fixture.environment).output == file + "\n")
            #expect(try mode(of: file) == 0o600)
            #expect(try mode(of: fixture.folder.appendingPathComponent("new").path) == 0o700)
            let again = try await Tool.run(complete, environment: fixture.environment)
            #expect(again.status == 1 && again.errors.contains("exists already"))
        }
    }

    @Test("A configuration is written into a folder as open as it is, and never through a link that leads nowhere")
    func initialiseInFolder() async throws {
        let fixture = try ServeFixture()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: fixture.folder.path)
        try FileManager.default.createSymbolicLink(
            atPath: fixture.path("link.json"), withDestinationPath: fixture.path("target.json"))
        func initialise(_ name: String) async throws -> ToolProcess.Result {
            try await fixture.run(
                "config", "init", "--config", fixture.path(name), "--type", "insforge", "--set",
                "baseURL=https://example.insforge.app")
        }
        #expect(try await initialise("new.json").status == 0)
        #expect(try mode(of: fixture.folder.path) == 0o755)
        let link = try await initialise("link.json")
        #expect(link.status == 1 && link.errors.contains("exists already"), "\(link.errors)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).sorted() == [
                "link.json", "new.json",
            ])
    }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(
        "Without a configuration every command says where it looked, with 78",
        arguments: [
            "login", "token", "whoami", "accounts", "logout", "providers", "explain", "events",
        ])
    func noConfiguration(command: String) async throws {
        let missing = MissingPath.make()
        let environment = ["XDG_CONFIG_HOME": missing, "IDENTITY_CONFIG": ""]
        let result = try await Tool.run([command], environment: environment)
        #expect(result.status == 78)
        #expect(result.output.isEmpty)
        #expect(
            result.errors.hasPrefix("identity: There is no configuration at \"\(missing)/identity/identity.json\""))
    }

    @Test("Every shell gets a completion script", arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) async throws {
        let result = try await Tool.run("completion", shell)
        #expect(result.status == 0 && result.output.contains("whoami"))
    }
}
