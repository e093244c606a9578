import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// `--account`, and the account of a terminal.
@Suite(.endsInTime) struct NamedAccountTests {
    private static let variable = "SWIFT_IDENTITY_ACCOUNT"
    private let ada = AccountID(account: "1", realm: "home")
    private let grace = AccountID(account: "2", realm: "home")
    private let charles = AccountID(account: "3", realm: "work")

    /// Three people are signed in, and the one whose token is `token-of-3` is active.
    private func withPeople(_ test: (ToolFixture) async throws -> Void) async throws {
        try await withTool { fixture in
            try await keep(ada, "ada@example.com", in: fixture)
            try await keep(grace, "grace@example.com", in: fixture)
            try await fixture.keep(charles, at: fixture.thunderID.url)
            #expect(try await fixture.run("switch", "work/3").status == 0)
            try await test(fixture)
        }
    }

    private func keep(_ account: AccountID, _ address: String, in fixture: ToolFixture) async throws {
        try await fixture.keep(account, at: fixture.insForge.url) { $0.profile = AccountProfile(email: address) }
    }

    private func run(
        _ words: [String], as terminal: String? = nil, _ variables: [String: String] = [:], in fixture: ToolFixture
    ) async throws -> ToolProcess.Result {
        var environment = fixture.environment.merging(variables) { $1 }
        environment[Self.variable] = terminal
        return try await Tool.run(words, environment: environment)
    }

    @Test("The option comes before the variable, both before the variable for providers, and that before the choice")
    func order() async throws {
        try await withPeople { fixture in
            for (words, terminal, person) in [
                ([], nil, "3"), ([], "", "3"), ([], "home/1", "1"), ([], "ada@example.com", "1"),
                (["--account", "home/2"], nil, "2"), (["--account", "grace@example.com"], "home/1", "2"),
                (["--account=home/grace@example.com"], "nobody", "2"), (["--account", "work"], "home/1", "3"),
            ] as [([String], String?, String)] {
                let result = try await run(["token"] + words, as: terminal, in: fixture)
                #expect(result.output == "token-of-\(person)\n", "\(words) \(terminal ?? "-"): \(result.errors)")
                #expect(result.errors.isEmpty, "\(result.errors)")
            }
            let provider = ["SWIFT_IDENTITY_PROVIDER": "work"]
            #expect(try await run(["token"], as: "home/1", provider, in: fixture).output == "token-of-1\n")
            #expect(try await run(["token"], provider, in: fixture).output == "token-of-3\n")
        }
    }

    @Test("Every command that acts does so for the account that is named")
    func commands() async throws {
        try await withPeople { fixture in
            let api = try await LocalHTTPServer.start { .text($0.bearerToken ?? "nobody") }
            let url = api.url.absoluteString
            for (words, terminal, source) in [
                (["--account", "ada@example.com"], nil, "--account"), ([], "home/1", Self.variable),
            ] as [([String], String?, String)] {
                #expect(try await run(["request", url] + words, as: terminal, in: fixture).output == "token-of-1")
                let whoami = try await run(["whoami"] + words, as: terminal, in: fixture)
                #expect(whoami.output == "home/1  ada@example.com\n", "\(whoami)")
                let explained = try await run(["explain"] + words, as: terminal, in: fixture)
                #expect(
                    explained.output.contains("active: ada@example.com, named by \(source), at http"), "\(explained)")
                let script = "echo $SWIFT_IDENTITY_TOKEN $SWIFT_IDENTITY_ACCOUNT"
                let child = try await run(["exec"] + words + ["--", "sh", "-c", script], as: terminal, in: fixture)
                #expect(child.output == "token-of-1 home/1\n", "\(child)")
            }
            let row = try JSONValue(
                parsing: Data(try await run(["whoami", "--json"], as: "home/1", in: fixture).output.utf8))
            #expect(row["account"] == "home/1" && row["active"] == false && row["state"] == "signed-in", "\(row)")
            // The account of a command is that of what it runs, also where it was not named.
            #expect(try await fixture.run("exec", "--", "printenv", Self.variable).output == "work/3\n")
            await api.stop()
        }
    }

    @Test("An account that is not there is an error, and never another one")
    func missing() async throws {
        try await withPeople { fixture in
            // A part of a name is not enough: it may be a part of another one's.
            for name in ["nobody", "ada", "example.com", "home/9", "gone/1", "home/nobody@example.com"] {
                for command in ["token", "whoami", "explain", "events", "logout"] {
                    let result = try await run([command], as: name, in: fixture)
                    expectOneLine(result, status: 3, of: "\(command) as \(name)")
                    #expect(result.errors.hasPrefix("identity: \(Self.variable): There is no account"), "\(result)")
                    #expect(result.errors.contains("\"\(name)\"") && result.errors.contains("home/1 (ada@example.com)"))
                }
                let typed = try await run(["token", "--account", name], as: "home/1", in: fixture)
                expectOneLine(typed, status: 3, of: "--account \(name)")
                #expect(!typed.errors.contains(Self.variable))
            }
            #expect(try await run(["token", "--account", ""], in: fixture).status == 64)
            try await fixture.end(
                ada, #"{"endReason": "It was revoked.", "signedInAt": 0, "backend": "b", "profile": {}}"#)
            for command in ["token", "whoami"] {
                let result = try await run([command], as: "home/1", in: fixture)
                #expect(result.status == 3 && result.output.isEmpty, "\(command): \(result)")
            }
        }
    }

    @Test("A name that two accounts have is an error with their identifiers")
    func ambiguous() async throws {
        try await withPeople { fixture in
            try await fixture.keep(AccountID(account: "9", realm: "work"), at: fixture.thunderID.url) {
                $0.profile = AccountProfile(email: "ada@example.com")
            }
            for command in ["token", "whoami", "logout"] {
                let result = try await run([command], as: "ada@example.com", in: fixture)
                expectOneLine(result, status: 1, of: command)
                #expect(result.errors.hasPrefix("identity: \(Self.variable): "), "\(result)")
                #expect(result.errors.contains("home/1 (ada@example.com) or work/9 (ada@example.com)"), "\(result)")
            }
            let provider = try await run(["token", "--account", "home"], in: fixture)
            expectOneLine(provider, status: 1, of: "--account home")
            #expect(provider.errors.contains("Give its identifier."), "\(provider)")
            #expect(try await run(["token"], as: "home/ada@example.com", in: fixture).output == "token-of-1\n")
        }
    }

    @Test("An address that is not verified names nobody, and the error says why")
    func unverified() async throws {
        try await withPeople { fixture in
            try await fixture.keep(AccountID(account: "9", realm: "work"), at: fixture.thunderID.url) {
                $0.profile = AccountProfile(email: "eve@example.com")
                $0.profile?.isEmailUnverified = true
            }
            for words in [
                ["token", "--account", "eve@example.com"], ["switch", "eve@example.com"], ["switch", "eve"],
            ] {
                let result = try await run(words, in: fixture)
                expectOneLine(result, status: words[0] == "token" ? 3 : 1, of: words.joined(separator: " "))
                #expect(
                    result.errors.contains("work/9 (eve@example.com, an address that is not verified)"), "\(result)")
            }
            #expect(try await run(["token"], as: "work/9", in: fixture).output == "token-of-9\n")
            try await fixture.keep(AccountID(account: "8", realm: "work"), at: fixture.thunderID.url) {
                $0.profile = AccountProfile(email: "eve@example.com")
            }
            #expect(try await run(["token"], as: "eve@example.com", in: fixture).output == "token-of-8\n")
        }
    }

    @Test("A given token is named by its account's identifier, which another account does not get")
    func given() async throws {
        try await withTool { fixture in
            try fixture.configure(
                ProviderConfiguration(name: "ci", type: "environment-token", settings: ["variable": "CI_TOKEN"]),
                ProviderConfiguration(name: "other", type: "static-token", settings: ["token": "given"]))
            let variables = ["CI_TOKEN": "from-variable"]
            for (name, token) in [("ci/ci", "from-variable\n"), ("other/other", "given\n"), ("ci/other", "")] {
                let result = try await run(["token"], as: name, variables, in: fixture)
                #expect(result.output == token && result.status == (token.isEmpty ? 3 : 0), "\(name): \(result)")
            }
        }
    }

    @Test("What another terminal switches to changes nothing for the account of this one")
    func terminals() async throws {
        try await withPeople { fixture in
            let line = try await fixture.run("switch", "--here", "ada@example.com")
            #expect(line.status == 0 && line.output == "export SWIFT_IDENTITY_ACCOUNT=home/1\n", "\(line)")
            // Nothing is stored.
            #expect(try await fixture.run("whoami").output == "work/3\n")
            #expect(try await fixture.run("switch", "grace@example.com").errors.isEmpty)
            #expect(try await run(["token"], as: "home/1", in: fixture).output == "token-of-1\n")
            #expect(try await fixture.run("token").output == "token-of-2\n")
            let told = try await run(["switch", "work/3"], as: "home/1", in: fixture)
            #expect(told.status == 0 && told.errors.contains("goes on as home/1"), "\(told)")
            let out = try await run(["logout"], as: "home/1", in: fixture)
            #expect(out.status == 0 && out.errors.contains("Signed out ada@example.com."), "\(out)")
            #expect(try await run(["token"], as: "home/1", in: fixture).status == 3)
            #expect(try await fixture.run("token").output == "token-of-3\n")
        }
    }

    @Test("What a shell evaluates is one word, whatever an identifier has in it")
    func quoted() async throws {
        try await withTool { fixture in
            let odd = AccountID(account: "it's; $(touch gone) `id`", realm: "home")
            try await fixture.keep(odd, at: fixture.insForge.url)
            let line = try await fixture.run("switch", "--here", odd.id)
            let shell = try await fixture.shell(line.output + "printenv SWIFT_IDENTITY_ACCOUNT")
            #expect(shell.status == 0 && shell.output == odd.id + "\n", "\(line) \(shell)")
            let steering = AccountID(account: "a\u{1B}[2J", realm: "home")
            try await fixture.keep(steering, at: fixture.insForge.url)
            let refused = try await fixture.run("switch", "--here", steering.id)
            #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
            #expect(try await fixture.run("switch", "--here", "--json", "home").status == 64)
        }
    }

    @Test("A command that exec runs acts for the same account, whatever is active by then")
    func children() async throws {
        try await withPeople { fixture in
            let nested = #""$0" exec --account home/1 -- sh -c '"$0" switch home/2 2>/dev/null; "$0" token' "$0""#
            let result = try await fixture.shell(nested)
            #expect(result.status == 0 && result.output == "home/2  grace@example.com\ntoken-of-1\n", "\(result)")
            // A token must not be told as a name.
            let words = ["exec", "--variable", Self.variable, "--", "true"]
            #expect(try await run(words, in: fixture).status == 64)
        }
    }

    @Test("Events of the account that is named are shown, and no others")
    func events() async throws {
        try await withPeople { fixture in
            let call = try fixture.call("events", "--json", "--account", "ada@example.com")
            await call.waits(for: "Waiting")
            try await keep(grace, "grace@example.com", in: fixture)
            #expect(try await fixture.run("logout", "work/3").status == 0)
            try await keep(ada, "ada@example.com", in: fixture)
            await call.waits(for: #""account":"home/1""#)
            call.cancel()
            let result = await call.finish()
            let accounts = try result.output.split(separator: "\n").map {
                try JSONValue(parsing: Data($0.utf8))["account"]?.stringValue
            }
            #expect(result.status == 0 && Set(accounts) == ["home/1"], "\(result)")
        }
    }
}
