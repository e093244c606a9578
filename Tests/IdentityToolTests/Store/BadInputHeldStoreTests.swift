import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// Another process holds what a command needs of the store, and does not let go.
// A tool that waits for ever must not keep the other tests waiting.
@Suite(.endsInTime) struct BadInputHeldStoreTests {
    @Test("While another process writes, a command that writes gives up with 5 and has changed nothing")
    func heldRecords() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            #expect(try await fixture.signIn().status == 0)
            let before = try await fixture.state()
            let held = try HeldLocks(ofStoreAt: fixture.store)
            #expect(held.count >= 3)

            async let login = fixture.signIn()
            async let logout = fixture.run("logout")
            async let logoutAll = fixture.run("logout", "--all")
            async let change = fixture.run("switch", "work")
            for (command, result) in try await [
                ("login", login), ("logout", logout), ("logout --all", logoutAll), ("switch", change),
            ] {
                expectOneLine(result, status: 5, of: command)
                #expect(result.errors.contains("Another process has held"), "\(command): \(result.errors)")
                #expect(!result.errors.contains(fixture.insForge.user.password), "\(command)")
            }
            // What only reads does not wait.
            #expect(try await fixture.state() == before)
            for line in ["exec -- true", "explain", "providers"] {
                #expect(try await fixture.run(line: line).status == 0, "\(line)")
            }
            held.release()
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.store.path + "/drafts").isEmpty)
            #expect(try await fixture.state() == before)
            #expect(try await fixture.run("switch", "work").output.hasPrefix(fixture.thunderIDAccount.id))
            #expect(try await fixture.run("logout", "--all").status == 0)
        }
    }

    @Test("While another process refreshes, who needs the new token gives up with 5, and the old one is not spent")
    func heldLease() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            try await fixture.expireToken()
            let lease = try #require(
                try await fixture.configuration.store.open().lease(for: .account(fixture.thunderIDAccount)))
            async let token = fixture.process("token")
            async let exec = fixture.process("exec", "--", "true")
            async let request = fixture.process("request", fixture.thunderID.url.absoluteString)
            for (command, result) in try await [("token", token), ("exec", exec), ("request", request)] {
                expectOneLine(result, status: 5, of: command)
                #expect(result.errors.contains("is being refreshed elsewhere"), "\(command): \(result.errors)")
            }
            #expect(fixture.thunderID.counters.refreshes == 0)
            #expect(try await fixture.run("whoami").output.hasPrefix(fixture.thunderIDAccount.id))
            await lease.release()
            #expect(try await fixture.run("token").status == 0)
            #expect(fixture.thunderID.counters.refreshes == 1)
        }
    }
}

extension ToolFixture {
    fileprivate var store: URL { folder.appendingPathComponent("state/identity") }

    /// Everything that a script can learn of the store.
    fileprivate func state() async throws -> String {
        var state = ""
        for line in ["accounts --json", "whoami", "token"] { state += try await run(line: line).output }
        return state
    }
}
