import Foundation
import IdentityLocalServers
import TestSupport
import Testing

/// A store on a disk that is full to its last byte: what reads works, what writes says so and changes nothing.
// A tool that waits for ever must not keep the other tests waiting.
@Suite(
    .endsInTime,
    .enabled("mounts cannot be changed here") { await StoreMount.isPossible() })
struct BadInputFullStoreTests {
    @Test("Commands that read print what they print elsewhere")
    func reading() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            for command in ["token", "whoami", "accounts --json", "exec -- printenv SWIFT_IDENTITY_TOKEN"] {
                let expected = try await fixture.run(line: command).output
                let result = try await fixture.shell(StoreMount.full.script(command))
                #expect(result.status == 0 && result.output == expected, "\(command): \(result)")
            }
        }
    }

    @Test("A failed write prints one line and exits with 5")
    func writing() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let user = fixture.insForge.user
            for command in [
                "login --provider home --username \(user.email) --password-stdin <<< '\(user.password)'", "logout",
            ] {
                let result = try await fixture.shell(StoreMount.full.script(command))
                expectOneLine(result, status: 5, of: command)
                #expect(result.errors.contains("There is no space left"), "\(command): \(result.errors)")
            }
        }
    }

    @Test("A token that must be refreshed is one line too, and the old one is not spent")
    func refreshing() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            try await fixture.expireToken()
            expectOneLine(try await fixture.shell(StoreMount.full.script("token")), status: 5, of: "token")
            #expect(fixture.thunderID.counters.refreshes == 0)
            #expect(try await fixture.run("token").status == 0)
        }
    }
}
