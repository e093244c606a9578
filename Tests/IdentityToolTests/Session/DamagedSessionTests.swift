import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// A stored session that cannot be read is told of, and keeps nobody from the others.
@Suite(.endsInTime) struct DamagedSessionTests {
    private let name = "work/0190f6a2"

    /// Runs `body` with a session of `work` that can be read, and the active one of `home`, which cannot.
    private func withDamagedSession(_ body: (ToolFixture) async throws -> Void) async throws {
        try await withTool { fixture in
            try await fixture.keep(AccountID(account: "0190f6a2", realm: "work"), at: fixture.thunderID.url)
            try fixture.damageSession(of: try await fixture.signIn())
            try await body(fixture)
        }
    }

    private func isTold(_ result: ToolProcess.Result) -> Bool {
        result.errors.hasPrefix("identity: ") && result.errors.contains("The stored record ")
            && result.errors.hasSuffix("is then set aside.\n") && result.errors.count { $0 == "\n" } == 1
    }

    @Test("The others are listed, and the status says that the list is not whole")
    func list() async throws {
        try await withDamagedSession { fixture in
            let text = try await fixture.run("accounts")
            #expect(text.status == 1 && isTold(text) && text.output.hasPrefix("  \(name)  "), "\(text)")
            let json = try await fixture.run("accounts", "--json")
            #expect(json.status == 1 && isTold(json), "\(json)")
            let rows = try JSONValue(parsing: Data(json.output.utf8)).arrayValue
            #expect(rows?.map { $0["account"] } == [.string(name)])
            // Whichever of the two is read first.
            let some = try await fixture.run("accounts", "--limit", "1")
            #expect(some.status == 1 && isTold(some) && some.output.hasPrefix("  \(name)  "), "\(some)")
            let providers = try await fixture.run("providers")
            #expect(providers.status == 0 && isTold(providers) && providers.output.contains(name), "\(providers)")
        }
    }

    @Test("Another account can be switched to, and is used from then on")
    func anotherAccount() async throws {
        try await withDamagedSession { fixture in
            let switched = try await fixture.run("switch", "work")
            #expect(switched.status == 0 && isTold(switched) && switched.output == name + "\n", "\(switched)")
            let token = try await fixture.run("token")
            #expect(token.status == 0 && token.output == "token-of-0190f6a2\n", "\(token)")
        }
    }

    @Test("An account whose name is in a record that cannot be read is not said to be missing")
    func named() async throws {
        try await withDamagedSession { fixture in
            let token = try await fixture.run("token", "--account", fixture.insForge.user.email)
            #expect(token.status == 1 && token.output.isEmpty && isTold(token), "\(token)")
            let erased = try await fixture.run("erase", "--yes", fixture.insForge.user.email)
            #expect(erased.status == 1 && isTold(erased), "\(erased)")
        }
    }

    @Test("All others are signed out, and the status says that one is left")
    func signOut() async throws {
        try await withDamagedSession { fixture in
            let result = try await fixture.run("logout", "--all", "--json")
            #expect(result.status == 1 && isTold(result), "\(result)")
            #expect(try JSONValue(parsing: Data(result.output.utf8))["signedOut"] == [.string(name)])
            // Without a name it is the active one, and its record alone counts.
            let active = try await fixture.run("logout")
            #expect(active.status == 1 && active.errors.contains("is damaged"), "\(active)")
        }
    }

    @Test("The doctor names the providers that it may be of")
    func remedy() async throws {
        try await withDamagedSession { fixture in
            let doctor = try await fixture.run("doctor", "--offline")
            #expect(doctor.output.contains("the provider of this session: home, any."), "\(doctor)")
        }
    }
}
