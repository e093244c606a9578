import Foundation
import IdentityKit
import Testing

/// `identity whoami`, `accounts`, `switch`, `logout` and `erase`.
extension CommandScenario {
    private static let ada = AccountID(account: "0190f6a2-77b1", realm: "work")
    private static let robin = AccountID(account: "7", realm: "home")

    static let account: [CommandScenario] = [
        CommandScenario(
            """
            identity whoami
            identity whoami --json | jq -r .account
            identity whoami --json | jq -r .expiresAt
            """, needs: [.program("jq")]
        ) { stage in
            try await stage.keepPeople()
            #expect(try await stage.prepare("identity switch work").status == 0)
            let whoami = try await stage.run("identity whoami")
            #expect(whoami.output.hasPrefix("\(ada)  Ada <ada@example.com>"), "\(whoami)")
            #expect(try await stage.run("identity whoami --json | jq -r .account").output == "\(ada)\n")
            let date = try await stage.run("identity whoami --json | jq -r .expiresAt").output
            #expect(date.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n/) != nil, "\(date)")
        },
        CommandScenario(
            """
            identity accounts
            identity accounts --limit 20
            identity accounts --json | jq -r '.[].account'
            """, needs: [.program("jq")]
        ) { stage in
            try await stage.keepPeople()
            for line in ["identity accounts", "identity accounts --limit 20"] {
                let list = try await stage.run(line)
                #expect(list.status == 0 && list.output.contains("Ada <ada@example.com>"), "\(list)")
                #expect(list.output.contains("\(robin)"))
            }
            let names = try await stage.run("identity accounts --json | jq -r '.[].account'").output
            #expect(Set(names.split(separator: "\n").map(String.init)) == [ada.id, robin.id])
        },
        CommandScenario(
            """
            identity switch ada@example.com
            identity switch work/0190f6a2
            identity switch home
            """
        ) { stage in
            try await stage.keepPeople()
            for (line, account) in [
                ("identity switch ada@example.com", ada), ("identity switch home", robin),
                ("identity switch work/0190f6a2", ada),
            ] {
                let result = try await stage.run(line)
                #expect(result.output.hasPrefix(account.id), "\(line): \(result)")
                #expect(try await stage.prepare("identity whoami").output.hasPrefix(account.id))
            }
        },
        CommandScenario(#"eval "$(identity switch --here ada@example.com)""#) { stage in
            try await stage.keepPeople()
            #expect(try await stage.prepare("identity switch home").status == 0)
            let line = #"eval "$(identity switch --here ada@example.com)""#
            // Another terminal goes on with its own account, and this one with its own.
            let here = try await stage.run(line, then: "env -u SWIFT_IDENTITY_ACCOUNT identity whoami; identity whoami")
            #expect(here.output == "\(robin)\n\(ada)  Ada <ada@example.com>\n", "\(here)")
        },
        CommandScenario("identity logout") { stage in
            let account = try await stage.fixture.signIn().output.trimmingCharacters(in: .newlines)
            let result = try await stage.run("identity logout")
            #expect(result.status == 0 && result.errors.contains("Signed out "), "\(result)")
            #expect(!result.errors.contains(account))
            #expect(try await stage.prepare("identity token").status == 3)
        },
        CommandScenario("identity logout ada@example.com\nidentity logout --all\nidentity logout --everything") {
            stage in
            try await stage.keepPeople()
            let line = try await stage.run("identity logout ada@example.com").errors
            #expect(line.contains("Signed out Ada <ada@example.com>.\n"), "\(line)")
            #expect(try await stage.prepare("identity accounts").output.contains(robin.id))
            #expect(try await stage.run("identity logout --all").status == 0)
            #expect(try await stage.prepare("identity accounts --json").output == "[\n\n]\n")
            try await stage.keepPeople()
            #expect(try await stage.run("identity logout --everything").status == 0)
            #expect(try await stage.prepare("identity accounts --json").output == "[\n\n]\n")
        },
        CommandScenario("identity erase ada@example.com\nidentity erase --yes work/0190f6a2-77b1") { stage in
            try await stage.keepPeople()
            // Nobody can be asked here.
            #expect(try await stage.run("identity erase ada@example.com").status == 64)
            let line = try await stage.run("identity erase --yes \(ada)").errors
            #expect(line.hasPrefix("Erased Ada <ada@example.com>.\n"), "\(line)")
            #expect(try await stage.prepare("identity accounts").output.contains(robin.id))
        },
    ]
}

extension CommandStage {
    /// Keeps a session for `ada@example.com` at the provider `work`, and one at `home`.
    func keepPeople() async throws {
        try await fixture.keep(AccountID(account: "0190f6a2-77b1", realm: "work"), at: fixture.thunderID.url) {
            $0.profile = AccountProfile(displayName: "Ada", email: "ada@example.com")
        }
        try await fixture.keep(AccountID(account: "7", realm: "home"), at: fixture.insForge.url)
    }
}
