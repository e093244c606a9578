import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityStoreFormat
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.endsInTime) struct LogoutTests {
    private let ended = AccountID(account: "1", realm: "home")

    @Test("A session that has ended is removed, named or not", arguments: [["logout"], ["logout", "home/1"]])
    func endedSession(command: [String]) async throws {
        try await withTool { fixture in
            try await fixture.end(ended, #"{"endReason": "It was revoked.", "signedInAt": 0, "backend": "b"}"#)
            let result = try await Tool.run(command, environment: fixture.environment)
            #expect(result.status == 0 && result.errors == "Signed out home/1.\n", "\(result)")
            #expect(try await fixture.run("accounts", "--json").output == "[\n\n]\n")
        }
    }

    @Test("Without a signed-in account a sign-out succeeds")
    func nobody() async throws {
        try await withTool { fixture in
            let result = try await fixture.run("logout")
            #expect(result.status == 0 && result.output.isEmpty && result.errors == "No account is signed in.\n")
            #expect(try await fixture.run("logout", "--all").status == 0)
            #expect(try await fixture.run("logout", "--json").output.contains(#""signedOut" : ["#))
            #expect(try await fixture.run("logout", "ada").status == 3)
        }
    }

    @Test("The account of a provider that a variable leaves out is still signed in, which is said")
    func leftOut() async throws {
        try await withTool { fixture in
            try await fixture.keep(AccountID(account: "3", realm: "work"), at: fixture.thunderID.url)
            #expect(try await fixture.run("switch", "work/3").status == 0)
            let elsewhere = fixture.environment.merging(["SWIFT_IDENTITY_PROVIDER": "home"]) { $1 }
            let result = try await Tool.run(["logout"], environment: elsewhere)
            let line = "No account is active here. Still signed in: work/3. Name one, or give --all.\n"
            #expect(result.status == 0 && result.errors == line, "\(result)")
            #expect(try await fixture.run("whoami").output == "work/3\n")
            // Beside it, --all would keep the account of a provider that is not configured.
            try await fixture.keep(AccountID(account: "2", realm: "former"), at: fixture.thunderID.url)
            let both = try await Tool.run(["logout"], environment: elsewhere).errors
            #expect(both.contains("former/2") && both.contains("work/3"), "\(both)")
            #expect(both.hasSuffix("Name one, or give --everything.\n"), "\(both)")
        }
    }

    @Test("A session that could not be ended at its backend is one line, and no failure", arguments: ["work", "home"])
    func backendGone(provider: String) async throws {
        try await withTool { fixture in
            let signIn = provider == "work" ? fixture.signInAtThunderID : fixture.signIn
            #expect(try await signIn().status == 0)
            let shown = try await fixture.run("whoami").output.trimmingCharacters(in: .newlines)
            let name = try #require(shown.components(separatedBy: "  ").last)
            await (provider == "work" ? fixture.thunderID.stop() : fixture.insForge.stop())
            let result = try await fixture.run("logout")
            #expect(result.status == 0)
            let lines = result.errors.split(separator: "\n")
            #expect(lines.count == 2 && lines.first == "Signed out \(name).", "\(result.errors)")
            // InsForge cannot revoke, so that a later request would change nothing.
            let outcome =
                provider == "work"
                ? "is over here, and its backend is told later, for a day" : "could not be ended at its backend"
            #expect(lines.last?.hasPrefix("identity: The session of \(name) \(outcome)") == true, "\(result.errors)")
            #expect(try await fixture.run("accounts", "--json").output == "[\n\n]\n")
        }
    }

    @Test("With --all every kind of line comes in the order of the listing, whatever server is first")
    func order() async throws {
        try await withTool { fixture in
            let names = (1...9).map(String.init)
            for name in names.shuffled() {
                try await fixture.keep(AccountID(account: name, realm: "home"), at: fixture.insForge.url)
            }
            await fixture.insForge.stop()
            let result = try await fixture.run("logout", "--all")
            #expect(result.status == 0)
            let lines = result.errors.split(separator: "\n").map(String.init)
            #expect(lines.filter { $0.hasPrefix("Signed out") } == names.map { "Signed out home/\($0)." }, "\(lines)")
            let reports = lines.filter { $0.hasPrefix("identity:") }
            #expect(reports.count == 9 && reports == reports.sorted(), "\(lines)")
        }
    }

    @Test("A refused scope is no sign-out: the status asks for one, and the line says with which scopes")
    func refusedScope() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInOnDevice(allows: true).status == 0)
            fixture.openIDConnect.fail(.invalidScope)
            let result = try await Tool.run(
                ["token"], environment: fixture.environment, clock: .system(ahead: 30 * 24 * 3600))
            #expect(result.status == 3 && result.output.isEmpty, "\(result)")
            #expect(result.errors.contains("Sign in with: identity login --scope "), "\(result)")
            #expect(result.errors.contains("The session is kept"), "\(result)")
        }
    }

    @Test("A later command tells a backend that is there again, before it ends")
    func backendBack() async throws {
        try await withTool { fixture in
            _ = try await fixture.signInAtThunderID()
            let token = try await fixture.run("token").output.trimmingCharacters(in: .newlines)
            func status() async throws -> Int {
                var request = URLRequest(url: fixture.thunderID.url.appendingPathComponent("oauth2/userinfo"))
                request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                return try await DefaultTransport.make().data(for: request).1.statusCode
            }
            fixture.thunderID.http.fail(.answer(.text("", status: 503)), pathPrefix: "/oauth2/revoke")
            #expect(try await fixture.run("logout").status == 0)
            #expect(try await status() == 200)
            let later = try await Tool.run(
                ["accounts"], environment: fixture.environment, clock: .system(ahead: 120))
            #expect(later.status == 0, "\(later)")
            // The command waits two seconds for that, which may be too short beside busy programs.
            while try await status() == 200 { await Task.yield() }
            #expect(try await status() == 401)
        }
    }

    @Test("The identifier of an account that has signed out ends no session whose identifier begins with it")
    func whole() async throws {
        try await withTool { fixture in
            for name in ["1", "12"] {
                try await fixture.keep(AccountID(account: name, realm: "home"), at: fixture.insForge.url)
            }
            #expect(try await fixture.run("logout", "home/1").status == 0)
            let again = try await fixture.run("logout", "home/1")
            #expect(again.status == 3 && again.errors.contains("There is no account \"home/1\""), "\(again)")
            #expect(try await fixture.run("accounts", "--json").output.contains(#""home/12""#))
        }
    }

    @Test("The account that is active after a sign-out is told, with its provider where that is another one")
    func activeNow() async throws {
        try await withTool { fixture in
            for account in ["home/1", "home/2", "work/3"].compactMap(AccountID.init(id:)) {
                try await fixture.keep(
                    account, at: account.realm == "home" ? fixture.insForge.url : fixture.thunderID.url)
            }
            #expect(try await fixture.run("switch", "home/1").status == 0)
            let next = try await fixture.run("logout", "--json")
            let active = try JSONValue(parsing: Data(next.output.utf8))["active"]?.stringValue
            #expect(active != nil, "\(next)")
            #expect(try await fixture.run("whoami").output == "\(active ?? "")\n")
            #expect(try await fixture.run("switch", "work/3").status == 0)
            let other = try await fixture.run("logout")
            #expect(other.errors.contains("home/2 is active now, with home.\n"), "\(other.errors)")
            // Who was active stays so.
            try await fixture.keep(AccountID(account: "4", realm: "home"), at: fixture.insForge.url)
            #expect(try await fixture.run("switch", "home/2").status == 0)
            #expect(try await !fixture.run("logout", "home/4").errors.contains("active now"))
        }
    }

    @Test("--all leaves what belongs to no provider here, which ends by its name, and with --everything")
    func foreignSessions() async throws {
        try await withTool { fixture in
            try fixture.configure(fixture.insForgeProvider(named: "home"))
            let former = AccountID(account: "3", realm: "work")
            for end in [["logout", "work/3"], ["logout", "--everything"]] {
                try await fixture.keep(former, at: fixture.thunderID.url)
                try await fixture.keep(ended, at: fixture.insForge.url)
                let all = try await fixture.run("logout", "--all")
                #expect(all.status == 0 && all.errors.contains("Signed out home/1."), "\(all)")
                #expect(all.errors.contains("work/3 stays: no provider work is configured.\n"), "\(all.errors)")
                let left = try await fixture.run("logout", "--all", "--json")
                #expect(try JSONValue(parsing: Data(left.output.utf8))["left"] == ["work/3"])
                let unnamed = try await fixture.run("logout")
                #expect(unnamed.errors.hasSuffix("work/3. Name one, or give --everything.\n"), "\(unnamed.errors)")
                let result = try await Tool.run(end, environment: fixture.environment)
                #expect(result.status == 0 && result.errors.contains("Signed out work/3."), "\(result)")
                #expect(result.errors.contains("The server of work/3 was not told"), "\(result.errors)")
                #expect(try await fixture.run("accounts", "--json").output == "[\n\n]\n")
            }
        }
    }

    // MARK: Without the store's key

    @Test("A key file that is gone is no failure that passes by itself")
    func keyFileGone() async throws {
        try await withoutKey(AccountID(account: "1", realm: "home")) { fixture in
            for command in ["token", "whoami"] {
                let result = try await fixture.run(command)
                #expect(result.status == 1 && result.errors.contains("it is missing"), "\(result)")
            }
            #expect(try await fixture.run("logout", "--all").status == 0)
        }
    }

    /// Signs people in, and takes the key away.
    private func withoutKey(_ accounts: AccountID..., test: (ToolFixture) async throws -> Void) async throws {
        try await withTool { fixture in
            for account in accounts { try await fixture.keep(account, at: fixture.insForge.url) }
            let place = try #require(try fixture.configuration.store.filesSealedWithKeyFile())
            try FileManager.default.removeItem(atPath: place.keyFile)
            try await test(fixture)
            let sealed = try #require(try fixture.configuration.store.open().sealedRecords)
            let records = try await sealed.records(in: .accounts).records
            #expect(records.count == accounts.count && records.allSatisfy { $0.content == nil })
        }
    }

    @Test(
        "Without the store's key a session ends all the same, and a line says that nothing was revoked",
        arguments: [["logout"], ["logout", "home/1"], ["logout", "--all"]])
    func keyGone(command: [String]) async throws {
        try await withoutKey(ended) { fixture in
            let result = try await Tool.run(command, environment: fixture.environment)
            #expect(result.status == 0)
            let lines = result.errors.split(separator: "\n")
            #expect(lines.count == 2 && lines.contains("Signed out home/1."), "\(result.errors)")
            let line = lines.first { $0.hasPrefix("identity: The session of home/1 could not be ended at its backend") }
            #expect(line?.contains("The key of the token store is not available") == true, "\(result.errors)")
            let again = try await Tool.run(["logout", "--all"], environment: fixture.environment)
            #expect(again.status == 0 && again.errors == "No account is signed in.\n", "\(again)")
        }
    }

    @Test("Without the store's key one of several accounts is named")
    func severalWithoutKey() async throws {
        try await withoutKey(ended, AccountID(account: "2", realm: "home")) { fixture in
            let result = try await fixture.run("logout")
            #expect(result.status == 1 && result.errors.contains("home/1, home/2"), "\(result)")
            #expect(try await fixture.run("logout", "home/2").errors.contains("Signed out home/2."))
            #expect(try await fixture.run("logout").errors.contains("Signed out home/1."))
        }
    }

    @Test("Without the store's key nobody is signed out in place of an account whose record is damaged")
    func damagedWithoutKey() async throws {
        try await withoutKey(ended) { fixture in
            let record = RecordPath.path(collection: StoreKey.Collection.accounts.rawValue, name: "home/2")
            let file = fixture.folder.appendingPathComponent("state/identity/\(record)")
            try Data("damaged".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let result = try await fixture.run("logout")
            #expect(result.status == 1 && result.errors.contains("is damaged"), "\(result)")
            try FileManager.default.removeItem(at: file)
            #expect(try await fixture.run("logout").errors.contains("Signed out home/1."))
        }
    }
}
