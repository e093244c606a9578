import Foundation
import IdentityTesting
import Testing

@testable import IdentityKit

@Suite("Where the system suspends processes, a refresh has its permission to finish", .endsInTime)
struct FinishingTimeTests {
    private let fixture = SessionsFixture()

    /// A system that answers as the test says.
    private final class Mobile: ExpiringActivities {
        private struct State: Sendable {
            var isRefusing = false
            var asked = 0
            var running = 0
            var blocks: [@Sendable (Bool) -> Void] = []
            var waiters: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Locked(State())

        var asked: Int { state.withLock { $0.asked } }

        func refuse(_ refuses: Bool) { state.withLock { $0.isRefusing = refuses } }

        func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
            let isRefusing = state.withLock { state in
                state.asked += 1
                if !state.isRefusing { state.running += 1 }
                state.blocks.append(block)
                return state.isRefusing
            }
            Thread.detachNewThread { [self] in
                block(isRefusing)
                guard !isRefusing else { return }
                let waiters = state.withLock { state in
                    state.running -= 1
                    defer { state.waiters = [] }
                    return state.waiters
                }
                for waiter in waiters { waiter.resume() }
            }
        }

        /// Is about to suspend the process.
        func expire() {
            for block in state.withLock({ $0.blocks }) { block(true) }
        }

        /// Waits until one of the calls returns, if one has not.
        func waitForReturn() async {
            await withCheckedContinuation { waiter in
                let waits = state.withLock { state in
                    if state.running > 0 { state.waiters.append(waiter) }
                    return state.running > 0
                }
                if !waits { waiter.resume() }
            }
        }

        var isRunning: Bool { state.withLock { $0.running > 0 } }
    }

    private let mobile = Mobile()

    /// A process with an expired session.
    private func expired(_ refresh: @escaping SessionBackend.Exchange) async throws -> ProviderSessions {
        let environment = IdentityEnvironment(
            store: fixture.store, refreshMonitor: RefreshMonitor(mobile), time: fixture.clock.dates, variables: [:])
        let sessions = ProviderSessions(
            SessionBackend(origin: .anyone(at: "https://id.example.com"), exchange: refresh),
            in: ProviderContext(name: "work", environment: environment))
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        return sessions
    }

    @Test("It is held from before the request until the result is stored, and then given back")
    func held() async throws {
        let held = Locked<Bool?>(nil)
        let sessions = try await expired { [fixture, mobile] credential in
            held.withLock { $0 = mobile.isRunning }
            return try await fixture.backend.refresh(credential)
        }
        #expect(mobile.asked == 0)
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(held.withLock { $0 } == true)
        #expect(mobile.asked == 1)
        await mobile.waitForReturn()
        // A token that is valid asks for nothing.
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(mobile.asked == 1)
    }

    @Test("Without it nothing is sent, and the next call asks again")
    func refused() async throws {
        let sessions = try await expired { [fixture] in try await fixture.backend.refresh($0) }
        mobile.refuse(true)
        #expect(await fixture.failureCode(sessions) == "refresh_postponed")
        #expect(fixture.backend.requests == [])
        mobile.refuse(false)
        #expect(try await fixture.token(sessions) == "token-1")
        await mobile.waitForReturn()
    }

    @Test("When it expires before the request is handed over, nothing is sent; after that the response counts")
    func expires() async throws {
        let backend = SessionBackend(origin: .anyone(at: "https://id.example.com")) {
            [fixture, mobile] credential, context in
            mobile.expire()
            return try await context.spend { try await fixture.backend.refresh(credential) }
        }
        let environment = IdentityEnvironment(
            store: fixture.store, refreshMonitor: RefreshMonitor(mobile), time: fixture.clock.dates, variables: [:])
        let early = ProviderSessions(backend, in: ProviderContext(name: "work", environment: environment))
        try await early.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        #expect(await fixture.failureCode(early) == "request_not_sent_in_time")
        #expect(fixture.backend.requests == [])
        await mobile.waitForReturn()
        fixture.clock.advance(by: .seconds(2))
        let late = try await expired { [fixture, mobile] credential in
            mobile.expire()
            return try await fixture.backend.refresh(credential)
        }
        #expect(try await fixture.token(late) == "token-1")
        await mobile.waitForReturn()
    }
}
