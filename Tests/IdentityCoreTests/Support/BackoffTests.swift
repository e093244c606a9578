import IdentityCore
import Testing

@Suite struct BackoffTests {
    private struct Trouble: Error, Equatable { let number: Int }

    @Test("Pauses grow up to the longest, and add up to the limit")
    func pauses() async throws {
        var (pauses, attempts) = ([Duration](), 0)
        await #expect(throws: Trouble(number: 0)) {
            let _: Int = try await Backoff.result(
                within: .milliseconds(100), from: .milliseconds(4), to: .milliseconds(20), orThrow: Trouble(number: 0),
                pausing: { pauses.append($0) }
            ) {
                attempts += 1
                return nil
            }
        }
        #expect(pauses.reduce(.zero, +) == .milliseconds(100) && attempts == pauses.count + 1)
        let steps = [4, 8, 16, 20].map(Duration.milliseconds)
        for (pause, step) in zip(pauses, steps) { #expect(pause >= step / 2 && pause <= step) }
        #expect(pauses.allSatisfy { $0 <= .milliseconds(20) })
    }

    @Test("The first result ends it, without a pause behind it")
    func result() async throws {
        var (pauses, attempts) = (0, 0)
        let result = try await Backoff.result(within: .seconds(1), pausing: { _ in pauses += 1 }) {
            attempts += 1
            return attempts == 3 ? "done" : nil
        }
        #expect(result == "done" && attempts == 3 && pauses == 2)
    }

    @Test("An error ends it unless it passes; the last one is thrown")
    func errors() async throws {
        var attempts = 0
        func attempt(whereErrorPasses passes: (any Error, Duration) -> Bool) async throws {
            attempts = 0
            try await Backoff.result(
                within: .milliseconds(3), whereErrorPasses: passes, pausing: { _ in }
            ) { () -> Void? in
                attempts += 1
                throw Trouble(number: attempts)
            }
        }
        await #expect(throws: Trouble(number: 1)) { try await attempt { _, _ in false } }
        await #expect(throws: Trouble(number: 2)) {
            try await attempt { error, _ in error as? Trouble == .init(number: 1) }
        }
        await #expect(throws: Trouble.self) { try await attempt { _, _ in true } }
        #expect(attempts > 2, "the last attempt follows the last pause")
    }

    @Test("A pause that throws ends it")
    func cancelled() async throws {
        await #expect(throws: CancellationError.self) {
            let _: Int = try await Backoff.result(
                within: .seconds(1), orThrow: Trouble(number: 0), pausing: { _ in throw CancellationError() }
            ) { nil }
        }
    }
}
