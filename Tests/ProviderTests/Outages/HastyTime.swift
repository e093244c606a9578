import IdentityKit
import IdentityTesting

extension ManualClock {
    /// This clock, on which a short pause is over at once, because whoever waits moves it. A deadline is longer, and ends
    /// when something else has moved the clock so far.
    var hasty: TimeSource {
        TimeSource(
            now: { self.now },
            sleep: { pause in
                guard pause < .seconds(3) else { return try await self.timeSource.sleep(for: pause) }
                // A timer is late, never early.
                self.advance(by: pause + .milliseconds(1))
            })
    }

    /// This clock as boot time too: a process that is stopped finds that much time has passed.
    var stoppable: TimeSource {
        TimeSource(
            now: { self.now }, uptime: { .seconds(self.now.timeIntervalSince1970) },
            sleep: { try await self.timeSource.sleep(for: $0) })
    }
}
