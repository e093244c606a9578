import Foundation

/// When the requests of one refresh must have ended.
///
/// A refresh that outlasts its lease would run at the same time as the next one, and send the refresh token twice. So all
/// its requests together have less time than the lease, and none is sent after it, even when the server is slow or the
/// system has suspended the process.
package struct RefreshDeadline: Sendable {
    private static let ofTask = TaskLocal<RefreshDeadline?>(wrappedValue: nil)

    /// The deadline of the refresh that the current task belongs to; `nil` in every other task.
    static var current: RefreshDeadline? { ofTask.get() }

    /// Runs `body`, whose requests get this deadline.
    func bounding<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await Self.ofTask.withValue(self, operation: body)
    }

    /// The clock that measures the deadline.
    package let time: TimeSource
    private let startedAt: Date
    private let limit: Duration

    /// Enough for a slow server, and less than other callers wait for the lease.
    static let longest = Duration.seconds(30)

    /// The least time for verifying a result, which is stored already.
    private static let verification = Duration.seconds(5)

    /// The deadline of a refresh that begins now.
    /// - Parameter leaseEndsAt: when the lease may be taken over; `nil` when it lasts until it is released. A third of its
    ///   time is left for storing the result.
    init(leaseEndsAt: Date?, time: TimeSource) {
        let now = time.now
        let leased = leaseEndsAt.map { $0.timeIntervalSince(now) * 2 / 3 } ?? .infinity
        let limit = leased < Self.longest.timeInterval ? .seconds(max(0, leased)) : Self.longest
        self.init(time: time, startedAt: now, limit: limit)
    }

    /// The deadline for verifying the result of the refresh.
    var forVerification: RefreshDeadline {
        RefreshDeadline(time: time, startedAt: time.now, limit: max(remaining, Self.verification))
    }

    private init(time: TimeSource, startedAt: Date, limit: Duration) {
        self.time = time
        self.startedAt = startedAt
        self.limit = limit
    }

    /// The time that is left; zero after the deadline. A clock that was set back adds no time.
    package var remaining: Duration {
        max(limit - time.elapsed(since: startedAt), .zero)
    }
}
