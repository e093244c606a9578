import Foundation

/// When the requests of one refresh must be over.
///
/// A refresh is a holder of the account's lease. One that lasts longer than its lease runs beside the next one, and the
/// refresh token is sent twice. So all its requests together have less time than the lease, and none is sent once that
/// is over, whatever has kept the process: a slow server, or a system that had suspended it.
package struct RefreshDeadline: Sendable {
    private static let ofTask = TaskLocal<RefreshDeadline?>(wrappedValue: nil)

    /// The deadline of the refresh this task works for; `nil` in every other task.
    static var current: RefreshDeadline? { ofTask.get() }

    /// The result of `body`, whose requests have this deadline.
    func bounding<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await Self.ofTask.withValue(self, operation: body)
    }

    /// The time of the clock the deadline is measured with.
    package let time: TimeSource
    private let startedAt: Date
    private let limit: Duration

    /// Enough for the slowest server that is worth waiting for, and less than those wait who ask meanwhile.
    static let longest = Duration.seconds(30)

    /// The time for verifying a result, which is stored already, when the requests before it left less.
    private static let verification = Duration.seconds(5)

    /// The deadline of a refresh that begins now.
    /// - Parameter leaseEndsAt: when the lease may be taken over; `nil` when it lasts until it is given back. A third of
    ///   its time is left for storing the result.
    init(leaseEndsAt: Date?, time: TimeSource) {
        let now = time.now
        let leased = leaseEndsAt.map { $0.timeIntervalSince(now) * 2 / 3 } ?? .infinity
        let limit = leased < Self.longest.timeInterval ? .seconds(max(0, leased)) : Self.longest
        self.init(time: time, startedAt: now, limit: limit)
    }

    /// The deadline for verifying what the refresh brought.
    var forVerification: RefreshDeadline {
        RefreshDeadline(time: time, startedAt: time.now, limit: max(remaining, Self.verification))
    }

    private init(time: TimeSource, startedAt: Date, limit: Duration) {
        self.time = time
        self.startedAt = startedAt
        self.limit = limit
    }

    /// What is left; not positive once it is over. A clock that was set back gives no more time than there was.
    package var remaining: Duration {
        max(limit - time.elapsed(since: startedAt), .zero)
    }
}
