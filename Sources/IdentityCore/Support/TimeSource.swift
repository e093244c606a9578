import Foundation

/// A clock that a test can replace.
public struct TimeSource: Sendable {
    private let currentDate: @Sendable () -> Date
    private let pause: @Sendable (Duration) async throws -> Void
    private var uptime: (@Sendable () -> Duration)?
    /// Whether this is the system's clock, so that the kernel can do the waiting.
    package private(set) var isSystem = false

    /// Makes a clock from two functions.
    /// - Parameters:
    ///   - now: the wall-clock time.
    ///   - sleep: suspends for a duration; throws `CancellationError` when the task is cancelled.
    public init(
        now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        currentDate = now
        pause = sleep
    }

    /// Makes a clock from three functions, one of them for boot time.
    package init(
        now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.init(now: now, sleep: sleep)
        self.uptime = uptime
    }

    /// The wall-clock time now.
    public var now: Date { currentDate() }

    /// The time since `start`; zero when the clock was set back.
    package func elapsed(since start: Date) -> Duration {
        Duration(outsideSeconds: now.timeIntervalSince(start)) ?? .zero
    }

    /// A moment from which time is measured.
    package struct Mark: Sendable, Comparable {
        fileprivate let date: Date
        /// Boot time of the mark; `nil` for a test's clock without one.
        fileprivate let uptime: Duration?

        /// Orders marks that were made by the same clock.
        package static func < (left: Mark, right: Mark) -> Bool {
            guard let first = left.uptime, let second = right.uptime else { return left.date < right.date }
            return first < second
        }
    }

    /// Whether time is measured by the clock that goes on while the process is stopped or the machine sleeps.
    package var hasUptime: Bool { uptime != nil }

    /// The current moment, in boot time where the clock has one.
    package var mark: Mark { Mark(date: now, uptime: uptime?()) }

    /// The time since `mark`, in boot time where the clock has one, so that setting the clock has no effect.
    package func elapsed(since mark: Mark) -> Duration {
        guard let start = mark.uptime, let uptime else { return elapsed(since: mark.date) }
        return uptime() - start
    }

    /// The time since the system was started, which all processes share. For a test's clock without boot time, the time
    /// since 1970.
    package var bootTime: Duration {
        uptime?() ?? Duration(outsideSeconds: now.timeIntervalSince1970) ?? .zero
    }

    /// Suspends the task, for at most a century, because a longer duration makes the system's clocks end the process.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try await pause(duration.asPause)
    }

    public static let system = system(ahead: 0)

    /// The system's clock, ahead by some seconds.
    package static func system(ahead seconds: TimeInterval) -> TimeSource {
        var time = TimeSource(
            now: { Date() + seconds }, uptime: { .nanoseconds(Int64(truncatingIfNeeded: ContinuousTime.now)) },
            sleep: { try await Task.sleep(for: $0) })
        time.isSystem = true
        return time
    }
}
