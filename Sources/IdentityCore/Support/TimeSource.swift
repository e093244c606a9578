import Foundation

/// A source of the current time and of pauses, which a test can replace by a clock of its own.
public struct TimeSource: Sendable {
    private let currentDate: @Sendable () -> Date
    private let pause: @Sendable (Duration) async throws -> Void
    private var uptime: (@Sendable () -> Duration)?
    /// Whether this is the system's clock. Only with this clock can a wait in the kernel have a time limit, because the
    /// kernel does not know the clock of a test.
    package private(set) var isSystem = false

    /// Makes a clock from two functions. Such a clock does not know the time since the system was started, so that all time
    /// is measured by the wall clock.
    /// - Parameters:
    ///   - now: returns the wall-clock time.
    ///   - sleep: suspends for a duration, and throws `CancellationError` when the task is cancelled.
    public init(
        now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        currentDate = now
        pause = sleep
    }

    /// Makes a clock from three functions. `uptime` returns the time since the system was started, including the time during
    /// which the machine slept.
    package init(
        now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.init(now: now, sleep: sleep)
        self.uptime = uptime
    }

    /// The current wall-clock time, which changes when the user or the network sets the clock.
    public var now: Date { currentDate() }

    /// The time since `start` by the wall clock; zero if the clock was set back to a time before `start`.
    package func elapsed(since start: Date) -> Duration {
        Duration(outsideSeconds: now.timeIntervalSince(start)) ?? .zero
    }

    /// The start of a time measurement, as ``TimeSource/mark`` returns it.
    package struct Mark: Sendable, Comparable {
        fileprivate let date: Date
        /// The uptime at the mark; `nil` for a clock without uptime, such as a test's.
        fileprivate let uptime: Duration?

        /// Orders marks of the same clock: by uptime, or by the wall clock if a mark has no uptime.
        package static func < (left: Mark, right: Mark) -> Bool {
            guard let first = left.uptime, let second = right.uptime else { return left.date < right.date }
            return first < second
        }
    }

    /// Whether this clock has uptime, which goes on while the process is stopped or the machine sleeps.
    package var hasUptime: Bool { uptime != nil }

    /// The current moment, in uptime if the clock has it.
    package var mark: Mark { Mark(date: now, uptime: uptime?()) }

    /// The time since `mark`, in uptime if the clock has it, so that setting the clock has no effect.
    package func elapsed(since mark: Mark) -> Duration {
        guard let start = mark.uptime, let uptime else { return elapsed(since: mark.date) }
        return uptime() - start
    }

    /// The time since the system was started, which is the same for all processes. A clock without uptime, such as a test's,
    /// returns the time since 1970 instead.
    package var bootTime: Duration {
        uptime?() ?? Duration(outsideSeconds: now.timeIntervalSince1970) ?? .zero
    }

    /// Suspends the task for `duration`, but for at most a century, because a longer duration would make the system's
    /// clocks end the process.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try await pause(duration.asPause)
    }

    public static let system = system(ahead: 0)

    /// Returns the system's clock with a wall clock that is ahead by `seconds`. The boot time is not ahead.
    package static func system(ahead seconds: TimeInterval) -> TimeSource {
        var time = TimeSource(
            now: { Date() + seconds }, uptime: { .nanoseconds(Int64(truncatingIfNeeded: ContinuousTime.now)) },
            sleep: { try await Task.sleep(for: $0) })
        time.isSystem = true
        return time
    }
}
