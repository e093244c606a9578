import Foundation
import IdentityKit
import Testing

/// `identity providers`, `explain`, `events` and `doctor`.
extension CommandScenario {
    static let insight: [CommandScenario] = [
        CommandScenario(
            """
            identity providers
            identity providers --known
            identity providers --known --json
            identity providers --json | jq -r '.[].name'
            """, needs: [.program("jq")]
        ) { stage in
            let account = try await stage.fixture.signIn().output.trimmingCharacters(in: .newlines)
            let list = try await stage.run("identity providers").output
            #expect(list.hasPrefix("work  thunderid") && list.contains(account))
            #expect(try await stage.run("identity providers --json | jq -r '.[].name'").output == "work\nhome\nany\n")
            try stage.forgetConfiguration()
            #expect(try await stage.run("identity providers --known").output.contains("\ngithub  GitHub, "))
            let known = try await stage.run("identity providers --known --json").output
            let types = try JSONValue(parsing: Data(known.utf8)).arrayValue?.map { $0["type"] }
            #expect(types?.contains("keycloak") == true)
        },
        CommandScenario(
            """
            identity providers --types
            identity providers openid-connect
            identity providers postgres
            identity providers thunderid
            identity providers keycloak
            """
        ) { stage in
            try stage.forgetConfiguration()
            let types = try await stage.run("identity providers --types").output
            for (type, setting) in [
                ("openid-connect", "issuer"), ("postgres", "maximumConnections"), ("thunderid", "baseURL"),
                ("keycloak", "realm"),
            ] {
                #expect(types.contains(type), "\(types)")
                let shown = try await stage.run("identity providers \(type)")
                #expect(shown.status == 0 && shown.output.contains(setting), "\(shown)")
            }
        },
        CommandScenario(
            """
            identity explain
            identity explain --for https://api.example.com/me
            identity explain --json | jq '.attempts[] | select(.outcome == "failed")'
            """, needs: [.program("jq")]
        ) { stage in
            let signedIn = try await stage.fixture.signIn()
            let text = try await stage.run("identity explain").output
            #expect(text.contains("work: nobody has signed in") && text.contains("active: Robin Doe"), "\(text)")
            let request = try await stage.run("identity explain --for https://api.example.com/me").output
            #expect(request.contains("https://api.example.com/me: sent as Robin Doe"), "\(request)")
            let line = #"identity explain --json | jq '.attempts[] | select(.outcome == "failed")'"#
            let none = try await stage.run(line)
            #expect(none.status == 0 && none.output.isEmpty, "\(none)")
            try stage.fixture.damageSession(of: signedIn)
            let failed = try await stage.run(line)
            #expect(failed.status == 0 && failed.output.contains(#""provider": "home""#), "\(failed)")
        },
        CommandScenario(
            "identity events\nidentity events --json | jq -r .account", needs: [.program("jq")]
        ) { stage in
            let (all, names) = (try PseudoTerminal(), try PseudoTerminal())
            let told = try stage.start("identity events", at: all, showsOutput: true)
            let named = try stage.start("identity events --json | jq -r .account", at: names, showsOutput: true)
            for terminal in [all, names] { await terminal.waits(for: "Waiting") }
            let account = try await stage.fixture.signIn().output.trimmingCharacters(in: .newlines)
            // The line names the account only while its name is unknown: under load both changes are shown as one.
            await all.waits(for: "account.signed_in")
            await names.waits(for: account + "\r\n")
            for run in [told, named] { run.interruptAll() }
            #expect(await told.finish().status == 0)
            _ = await named.finish()
            #expect(all.text.contains(" is signed in"), "\(all.text)")
        },
        CommandScenario(
            """
            identity doctor
            identity doctor --offline
            identity doctor --json | jq '.[] | select(.verdict != "ok")'
            """, needs: [.program("jq")]
        ) { stage in
            #expect(try await stage.fixture.signIn().status == 0)
            let problems = #"identity doctor --json | jq '.[] | select(.verdict != "ok")'"#
            for line in ["identity doctor", "identity doctor --offline", problems] {
                let result = try await stage.run(line)
                #expect(result.status == 0 && !result.output.contains("✘"), "\(line): \(result)")
            }
            #expect(try await stage.run(problems).output.isEmpty)
            await stage.fixture.openIDConnect.stop()
            #expect(try await stage.run("identity doctor --offline").status == 0)
            let ill = try await stage.run("identity doctor")
            #expect(ill.status == 1 && ill.output.contains("any backend"), "\(ill)")
            #expect(try await stage.run(problems).output.contains(#""any backend""#))
        },
        CommandScenario("export no_proxy=localhost,127.0.0.1,::1") { stage in
            #if canImport(FoundationNetworking)
            #expect(try await stage.fixture.signIn().status == 0)
            let proxied = ["http_proxy": "http://127.0.0.1:1", "no_proxy": ""]
            let ill = try await stage.run("identity doctor", variables: proxied)
            #expect(ill.status == 1 && ill.output.contains("no_proxy=localhost,127.0.0.1,::1"), "\(ill)")
            let line = "export no_proxy=localhost,127.0.0.1,::1"
            let well = try await stage.run(line, then: "identity doctor", variables: proxied)
            #expect(well.status == 0, "\(well)")
            #endif
        },
    ]
}
