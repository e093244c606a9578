import Foundation
import IdentityKit
import IdentityOAuth
import IdentityTesting
import Testing

@Suite("Callbacks that were handled")
struct HandledCallbacksTests {
    private let clock = ManualClock()
    private let count = Locked(0)
    private let callback = URL(fileURLWithPath: "/callback")
    private let other = URL(fileURLWithPath: "/other")

    private func handled(keepsLatest: Bool = false) -> HandledCallbacks<Int> {
        HandledCallbacks(keepsLatest: keepsLatest, time: clock.timeSource)
    }

    private func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    @Test("Copies that arrive meanwhile, and within a minute, get the first result")
    func copies() async throws {
        let handled = handled()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await handled.value(for: callback) { next() } } }
            for try await value in group { #expect(value == 1) }
        }
        #expect(try await handled.value(for: other) { next() } == 2)
        clock.advance(by: .seconds(60))
        #expect(try await handled.value(for: callback) { next() } == 1)
        clock.advance(by: .seconds(1))
        #expect(try await handled.value(for: callback) { next() } == 3)
    }

    @Test("A refusal is a result; what may pass, what the store says, and a cancellation are not")
    func failures() async throws {
        let refusal = OAuthError.invalidCallback(.flowExpired)
        let failures: [(any Error, isResult: Bool)] = [
            (refusal, true), (OAuthError.refused(ErrorResponse(error: .serverError)), false),
            (TokenStoreError.full(path: "x"), false), (CancellationError(), false),
        ]
        for (failure, isResult) in failures {
            let handled = handled()
            await #expect(throws: (any Error).self) { try await handled.value(for: callback) { throw failure } }
            let again = try? await handled.value(for: callback) { next() }
            #expect((again == nil) == isResult, "\(failure)")
        }
    }

    @Test("A sign-out forgets, also what is on its way")
    func forgotten() async throws {
        let handled = handled()
        let value = try await handled.value(for: callback) {
            handled.forget()
            return next()
        }
        #expect(value == 1)
        #expect(try await handled.value(for: callback) { next() } == 2)
        handled.forget()
        #expect(try await handled.value(for: callback) { next() } == 3)
    }

    @Test("Where one person is signed in at a time, the next sign-in outdates the last one's result")
    func latest() async throws {
        let handled = handled(keepsLatest: true)
        _ = try await handled.value(for: callback) { next() }
        _ = try await handled.value(for: other) { next() }
        #expect(try await handled.value(for: other) { next() } == 2)
        #expect(try await handled.value(for: callback) { next() } == 3)
    }
}
