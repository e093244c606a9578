import Foundation
import IdentityLocalServers
import Testing

@testable import IdentityKit
@testable import IdentityTool

/// Accounts go by the names people know them by.
@Suite struct AccountNameTests {
    private let ada = AccountID(account: "1", realm: "home")
    private let byron = AccountID(account: "2", realm: "home")
    private let charles = AccountID(account: "3", realm: "work")

    private func withNames(_ test: (ToolFixture) async throws -> Void) async throws {
        try await withTool { fixture in
            try await fixture.keep(ada, at: fixture.insForge.url) {
                $0.profile = AccountProfile(
                    displayName: "Ada \u{1B}[31mLovelace\u{202E}", email: "ada@example.com",
                    picture: URL(string: "https://example.com/ada.png"))
            }
            try await fixture.keep(byron, at: fixture.insForge.url) {
                $0.profile = AccountProfile(email: "byron@example.com", username: "ada")
            }
            try await fixture.keep(charles, at: fixture.thunderID.url)
            try await test(fixture)
        }
    }

    @Test("An account is switched to by its e-mail address, its user name or a part of its name, and shown with it")
    func names() async throws {
        try await withNames { fixture in
            let shown = "home/1  Ada [31mLovelace <ada@example.com>\n"
            for name in ["ada@example.com", "ADA@example.com", "lovelace", "home/1"] {
                let result = try await fixture.run("switch", name)
                #expect(result.status == 0 && result.output == shown, "\(name): \(result)")
            }
            #expect(try await fixture.run("whoami").output == shown)
            #expect(try await fixture.run("switch", "ada").output == "home/2  byron@example.com\n")
            #expect(try await fixture.run("switch", "work").output == "work/3\n")
            let list = try await fixture.run("accounts").output
            #expect(
                list.contains("  home/1  Ada [31mLovelace <ada@example.com>  at ") && list.contains("* work/3  at "))
        }
    }

    @Test("A list can be limited")
    func limited() async throws {
        try await withNames { fixture in
            let all = Set(try await fixture.run("accounts").output.split(separator: "\n"))
            let some = Set(try await fixture.run("accounts", "--limit", "2").output.split(separator: "\n"))
            #expect(all.count == 3 && some.count == 2 && some.isSubset(of: all))
            #expect(Set(try await fixture.run("accounts", "--limit", "9").output.split(separator: "\n")) == all)
            #expect(try await fixture.run("accounts", "--limit", "0").status == 64)
        }
    }

    @Test("JSON has the parts of the name")
    func json() async throws {
        try await withNames { fixture in
            let chosen = try JSONValue(
                parsing: Data(try await fixture.run("switch", "ada@example.com", "--json").output.utf8))
            #expect(chosen["account"] == "home/1" && chosen["profile"]?["email"] == "ada@example.com")
            let active = try JSONValue(parsing: Data(try await fixture.run("whoami", "--json").output.utf8))
            #expect(active["profile"]?["picture"] == "https://example.com/ada.png")
            let all = try JSONValue(parsing: Data(try await fixture.run("accounts", "--json").output.utf8))
            #expect(all.arrayValue?.map { $0["profile"]?["username"] } == [nil, "ada", nil])
        }
    }

    @Test("A name that several have lists them, in one line")
    func ambiguous() async throws {
        try await withNames { fixture in
            let result = try await fixture.run("switch", "example.com")
            expectOneLine(result, status: 1, of: "switch")
            #expect(result.errors.contains("home/1 (Ada [31mLovelace <ada@example.com>) or home/2 (byron@example.com)"))
        }
    }

    @Test("One address at two backends is told apart by the provider's name")
    func sameAddress() async throws {
        try await withNames { fixture in
            try await fixture.keep(AccountID(account: "9", realm: "work"), at: fixture.thunderID.url) {
                $0.profile = AccountProfile(email: "byron@example.com")
            }
            let result = try await fixture.run("switch", "byron@example.com")
            expectOneLine(result, status: 1, of: "switch")
            #expect(result.errors.contains("Type its provider too, such as home/byron@example.com."), "\(result)")
            #expect(try await fixture.run("switch", "home/byron@example.com").output.hasPrefix("home/2"))
            #expect(try await fixture.run("switch", "work/byron@example.com").output.hasPrefix("work/9"))
        }
    }

    @Test("A name stands for a whole identifier only, and not for one whose name follows")
    func naming() {
        let names = AccountNames()
        names.learn([
            AccountSummary(
                account: ada, profile: AccountProfile(email: "ada@example.com"), session: .ended(reason: "It is over."))
        ])
        #expect(
            names.naming("\"home/1\": home/12, home/1 (ada), home/1.")
                == "\"ada@example.com\": home/12, home/1 (ada), ada@example.com.")
    }

    @Test("Of two people with one name, each has the provider's besides, or keeps the identifier")
    func twins() {
        let names = AccountNames()
        let accounts = [ada, byron, charles, AccountID(account: "4", realm: "work")]
        names.learn(
            zip(accounts, ["a@example.com", "b@example.com", "b@example.com", "a@example.com"]).map {
                AccountSummary(account: $0, profile: AccountProfile(email: $1), session: .ended(reason: "It is over."))
            })
        #expect(names.name(of: ada) == "a@example.com (home)" && names.name(of: charles) == "b@example.com (work)")
        names.learn(
            [ada, byron].map {
                AccountSummary(
                    account: $0, profile: AccountProfile(email: "c@example.com"), session: .ended(reason: "It is over.")
                )
            })
        #expect(names.name(of: ada) == "home/1" && names.naming("home/2 is over.") == "home/2 is over.")
    }

    @Test("Who is explained, signed out, erased or asked to sign in has a name; JSON and -v have the identifier")
    func told() async throws {
        try await withTool { fixture in
            func keep() async throws {
                try await fixture.keep(byron, at: fixture.insForge.url) {
                    $0.profile = AccountProfile(email: "byron@example.com")
                    $0.suspension = Suspension("test", because: "It was refused.", retries: .never, at: $0.issuedAt)
                }
            }
            for (options, called) in [([], "byron@example.com"), (["-v"], "home/2")] {
                try await keep()
                let doctor = try await Tool.run(["doctor", "--offline"] + options, environment: fixture.environment)
                #expect(doctor.status == 1 && doctor.output.contains("  \(called) needs a sign-in: "), "\(doctor)")
                let explained = try await Tool.run(["explain"] + options, environment: fixture.environment)
                #expect(explained.output.contains("active: \(called), it needs a sign-in: "), "\(explained)")
                #expect(explained.output.contains("home/2") == (called == "home/2"), "\(explained)")
                let out = try await Tool.run(["logout", "home/2"] + options, environment: fixture.environment)
                #expect(out.status == 0 && out.errors.contains("Signed out \(called).\n"), "\(out)")
                #expect(out.errors.contains("home/2") == (called == "home/2"), "\(out)")
                try await keep()
                let erased = try await Tool.run(
                    ["erase", "--yes", "home/2"] + options, environment: fixture.environment)
                #expect(erased.status == 0 && erased.errors.contains("Erased \(called).\n"), "\(erased)")
            }
            try await keep()
            #expect(try await fixture.run("doctor", "--offline", "--json").output.contains("home/2 needs a sign-in: "))
            #expect(try await fixture.run("logout", "home/2", "--json").output.contains(#""home/2""#))
        }
    }

    @Test("An ended session keeps its name, and leaves it to the one that can be used")
    func ended() async throws {
        try await withNames { fixture in
            let former = AccountID(account: "1", realm: "work")
            try await fixture.end(
                former,
                """
                {"endReason": "It was revoked.", "signedInAt": 0, "backend": "b", "profile": {"email": "ada@example.com"}}
                """)
            #expect(
                try await fixture.run("accounts").output.contains("work/1  ada@example.com  ended: It was revoked."))
            #expect(try await fixture.run("switch", "ada@example.com").output.hasPrefix("home/1"))
            let ambiguous = try await fixture.run("logout", "ada@example.com")
            #expect(ambiguous.status == 1 && ambiguous.errors.contains("work/1 (ada@example.com)"))
        }
    }

    @Test("A whole identifier is no part of another one, also when its session is suspended or cannot be read")
    func wholeIdentifier() async throws {
        try await withTool { fixture in
            for name in ["1", "12"] {
                try await fixture.keep(AccountID(account: name, realm: "home"), at: fixture.insForge.url) {
                    guard name == "1" else { return }
                    $0.suspension = Suspension("test", because: "It was refused.", retries: .never, at: $0.issuedAt)
                }
            }
            let switched = try await fixture.run("switch", "home/1")
            #expect(switched.status == 0 && switched.output == "home/1\n", "\(switched)")
            try fixture.damageSession(of: switched)
            let damaged = try await fixture.run("switch", "home/1")
            #expect(damaged.status == 1 && damaged.output.isEmpty, "\(damaged)")
            #expect(damaged.errors.contains("is damaged"), "\(damaged)")
        }
    }

    @Test("A provider whose name has a slash is switched to as it is read, and as it is listed")
    func slash() async throws {
        try await withTool { fixture in
            try fixture.configure(fixture.insForgeProvider(named: "team/a"))
            try await fixture.keep(AccountID(account: "5/6", realm: "team/a"), at: fixture.insForge.url)
            for name in ["team/a/5/6", "team%2Fa/5%2F6", "team/a", "team/a/5"] {
                let result = try await fixture.run("switch", name)
                #expect(result.output == "team%2Fa/5%2F6\n", "\(name): \(result.errors)")
            }
            #expect(try await fixture.run("token").output == "token-of-5/6\n")
            #expect(try await fixture.run("logout", "team/a/5/6").status == 0)
        }
    }
}
