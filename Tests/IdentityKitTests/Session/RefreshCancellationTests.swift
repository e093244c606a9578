import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// Callers come and go; the refresh does not notice.
@Suite(.endsInTime) struct RefreshCancellationTests {
    private let fixture = SessionsFixture()

    @Test("Of 64 callers any number may leave, at once, and the others get the token", arguments: [1, 63, 64])
    func leaving(count: Int) async throws {
        let (sessions, gate) = (try await fixture.expired(), Gate())
        fixture.backend.script(
            .after {
                await gate.pass()
                // The exchange itself is never cancelled.
                try Task.checkCancellation()
            })
        let callers = (0..<64).map { _ in Task { try await fixture.token(sessions) } }
        while await gate.arrivals == 0 { await Task.yield() }
        for caller in callers.prefix(count) { caller.cancel() }
        for caller in callers.prefix(count) {
            // They leave while the refresh still hangs at the gate.
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
        await gate.open()
        for caller in callers.dropFirst(count) { #expect(try await caller.value == "token-1") }
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("A caller who is cancelled before asking poisons nothing")
    func cancelledBefore() async throws {
        let sessions = try await fixture.expired()
        let caller = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await fixture.token(sessions)
        }
        _ = await caller.result
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test("Whoever waits for another process's refresh can leave too")
    func leavingTheQueue() async throws {
        let sessions = try await fixture.expired()
        let lease = try await fixture.store.lease(for: .account(fixture.account))
        let caller = Task { try await fixture.token(sessions) }
        while fixture.store.count(of: .lease) < 3 { await Task.yield() }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        await lease?.release()
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test("A process that is about to end finishes the running refresh and begins no other")
    func closing() async throws {
        let (sessions, gate) = (try await fixture.expired(), Gate())
        fixture.backend.script(.after { await gate.pass() })
        let caller = Task { try await fixture.token(sessions) }
        while await gate.arrivals == 0 { await Task.yield() }
        #expect(await fixture.monitor.close(within: .zero) == false)
        let closing = Task { await fixture.monitor.close(within: .seconds(600)) }
        await gate.open()
        #expect(await closing.value)
        #expect(try await caller.value == "token-1")
        fixture.clock.advance(by: .seconds(3600))
        await #expect(throws: CancellationError.self) { try await fixture.token(sessions) }
        #expect(fixture.backend.requests == ["refresh-0"])
    }
}
