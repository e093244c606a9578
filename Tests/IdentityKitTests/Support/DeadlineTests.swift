import Foundation
import IdentityTesting
import Testing

@testable import IdentityKit

@Suite("A deadline goes by boot time, and one that fires late lets be read what has arrived first")
struct DeadlineTests {
    /// The pauses that a deadline makes, on a machine that is stopped during some of them.
    private final class Machine: Sendable {
        private let state = Locked((uptime: Duration.zero, stops: [Duration](), pauses: [Duration]()))

        init(stops: [Duration]) { state.withLock { $0.stops = stops } }

        var pauses: [Duration] { state.withLock { $0.pauses } }

        var time: TimeSource {
            TimeSource(
                now: { .distantPast }, uptime: { self.state.withLock { $0.uptime } },
                sleep: { pause in
                    self.state.withLock {
                        $0.pauses.append(pause)
                        $0.uptime += max(pause, $0.stops.isEmpty ? .zero : $0.stops.removeFirst())
                    }
                })
        }
    }

    @Test(
        "Whoever was stopped has a second more",
        arguments: [
            ([], [1, 1]), ([.milliseconds(1090), .milliseconds(900)], [1, 0.91]),
            // Stopped before the last second, for longer than the deadline, and for nearly as long.
            ([.seconds(40)], [1, 1]), ([.milliseconds(1990)], [1, 1]),
            // Stopped in the last second.
            ([.seconds(1), .seconds(40)], [1, 1, 1]), ([.seconds(40), .seconds(40)], [1, 1, 1]),
        ] as [([Duration], [Double])])
    func stopped(stops: [Duration], pauses: [Double]) async throws {
        let machine = Machine(stops: stops)
        let deadline = Deadline(.seconds(2), on: machine.time)
        try await deadline.pass()
        #expect(machine.pauses == pauses.map { .seconds($0) })
        #expect(deadline.hasPassed)
    }

    @Test("A clock that is set changes nothing on the system's time, and adds none on any other")
    func wallClock() async throws {
        let clock = ManualClock()
        let deadline = Deadline(.seconds(5), on: clock.timeSource)
        clock.advance(by: .seconds(-3600))
        #expect(deadline.remaining == .seconds(5))
        clock.advance(by: .seconds(3604))
        #expect(deadline.remaining == .seconds(1))
        let ahead = Locked<TimeInterval>(0)
        let machine = TimeSource(
            now: { Date() + ahead.withLock { $0 } }, uptime: { .seconds(7) }, sleep: { _ in })
        let other = Deadline(.seconds(5), on: machine)
        ahead.withLock { $0 = 3600 }
        #expect(other.remaining == .seconds(5))
    }
}
