import Foundation

/// The clock. A test can replace it.
public struct TimeSource: Sendable {
    private let currentDate: @Sendable () -> Date
    private let pause: @Sendable (Duration) async throws -> Void
    /// Whether time passes here as it does for the kernel, so that it may do the waiting.
    package private(set) var isSystem = false

    /// A clock that calls two functions.
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

    /// The wall-clock time now.
    public var now: Date { currentDate() }

    /// The time since `start`; zero when the clock was set back.
    package func elapsed(since start: Date) -> Duration {
        Duration(outsideSeconds: now.timeIntervalSince(start)) ?? .zero
    }

    /// Suspends the task, for a century at most: the system's clocks end the process for a longer duration.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try await pause(duration.asPause)
    }

    /// The system's clock.
    public static let system = system(ahead: 0)

    /// The system's clock, ahead by some seconds.
    package static func system(ahead seconds: TimeInterval) -> TimeSource {
        var time = TimeSource(now: { Date() + seconds }, sleep: { try await Task.sleep(for: $0) })
        time.isSystem = true
        return time
    }
}
