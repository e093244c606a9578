import IdentityKit
import TestSupport
import Testing

@Suite(.endsInTime) struct CoalescerTests {
    @Test("Everybody who asks meanwhile shares one run")
    func shared() async throws {
        let (coalescer, gate) = (Coalescer<String, Int>(), Gate())
        let callers = (0..<50).map { _ in
            Task {
                try await coalescer.value(for: "key") {
                    await gate.pass()
                    return 7
                }
            }
        }
        while coalescer.waiterCount(for: "key") < callers.count { await Task.yield() }
        await gate.open()
        for caller in callers { #expect(try await caller.value == 7) }
        #expect(await gate.arrivals == 1)
    }

    @Test("A cancelled caller leaves at once and alone")
    func cancellation() async throws {
        let (coalescer, gate) = (Coalescer<String, Int>(), Gate())
        let work: @Sendable () async throws -> Int = {
            await gate.pass()
            try Task.checkCancellation()
            return 7
        }
        let pilot = Task { try await coalescer.value(for: "key", work) }
        while await gate.arrivals == 0 { await Task.yield() }
        let passenger = Task { try await coalescer.value(for: "key", work) }
        pilot.cancel()
        await #expect(throws: CancellationError.self) { try await pilot.value }
        let late = Task { try await coalescer.value(for: "key", work) }
        await gate.open()
        #expect(try await passenger.value == 7)
        #expect(try await late.value == 7)
    }

    @Test("A failure reaches everybody and is not remembered")
    func failure() async throws {
        let coalescer = Coalescer<String, Int>()
        await #expect(throws: TestError()) { try await coalescer.value(for: "key") { throw TestError() } }
        #expect(try await coalescer.value(for: "key") { 7 } == 7)
    }

    @Test("Keys do not wait for each other")
    func keys() async throws {
        let (coalescer, gate) = (Coalescer<String, Int>(), Gate())
        let slow = Task {
            try await coalescer.value(for: "slow") {
                await gate.pass()
                return 1
            }
        }
        while await gate.arrivals == 0 { await Task.yield() }
        #expect(try await coalescer.value(for: "fast") { 2 } == 2)
        await gate.open()
        #expect(try await slow.value == 1)
    }

    @Test("Work that nobody waits for goes on, or is cancelled, as whoever began it says")
    func abandoned() async throws {
        for abandonment in [Coalescer<String, Int>.Abandonment.finish, .cancel] {
            let (coalescer, gate) = (Coalescer<String, Int>(), Gate())
            let wasCancelled = Locked<Bool?>(nil)
            let caller = Task {
                try await coalescer.value(for: "key", whenAbandoned: abandonment) {
                    await gate.pass()
                    wasCancelled.withLock { $0 = Task.isCancelled }
                    return 7
                }
            }
            while await gate.arrivals == 0 { await Task.yield() }
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            // Whoever comes next joins what goes on, and never what is being cancelled.
            let next = Task { try await coalescer.value(for: "key", whenAbandoned: abandonment) { 8 } }
            if abandonment == .finish {
                while coalescer.waiterCount(for: "key") == 0 { await Task.yield() }
            } else {
                #expect(try await next.value == 8)
            }
            await gate.open()
            #expect(try await next.value == (abandonment == .finish ? 7 : 8))
            while wasCancelled.withLock({ $0 }) == nil { await Task.yield() }
            #expect(wasCancelled.withLock { $0 } == (abandonment == .cancel))
        }
    }

    @Test("Work that ends with its last caller is over when that caller returns")
    func ending() async throws {
        let (coalescer, gate) = (Coalescer<String, Int>(), Gate())
        let hasEnded = Locked(false)
        let work: @Sendable () async throws -> Int = {
            await gate.pass()
            hasEnded.withLock { $0 = true }
            try Task.checkCancellation()
            return 7
        }
        let first = Task { try await coalescer.value(for: "key", whenAbandoned: .end, work) }
        while await gate.arrivals == 0 { await Task.yield() }
        let last = Task {
            _ = try? await coalescer.value(for: "key", whenAbandoned: .end, work)
            return hasEnded.withLock { $0 }
        }
        while coalescer.waiterCount(for: "key") < 2 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        last.cancel()
        // Callers that come before that end are neither cancelled with it nor in its way.
        let (next, other) = (
            Task { try await coalescer.value(for: "key", whenAbandoned: .end) { 9 } },
            Task { try await coalescer.value(for: "key", whenAbandoned: .end, work) }
        )
        while coalescer.waiterCount(for: "key") < 2 { await Task.yield() }
        other.cancel()
        await #expect(throws: CancellationError.self) { try await other.value }
        await gate.open()
        #expect(await last.value)
        #expect(try await next.value == 9)
        #expect(try await coalescer.value(for: "key") { 8 } == 8)
    }
}
