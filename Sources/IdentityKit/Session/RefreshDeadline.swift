import Foundation

/// When the requests of one refresh must have ended.
///
/// A refresh that outlasts its lease would run at the same time as the next one, and send the refresh token twice. So all
/// its requests together have less time than the lease, and none is sent after it, even when the server is slow or the
/// system has suspended the process.
extension Deadline {
    /// Enough for a slow server, and less than other callers wait for the lease.
    static let ofRefresh = Duration.seconds(30)

    /// The least time for verifying a result, which is stored already.
    private static let verification = Duration.seconds(5)

    /// The deadline of a refresh that begins now.
    /// - Parameter leaseEndsAt: when the lease may be taken over; `nil` when it lasts until it is released. A third of its
    ///   time is left for storing the result.
    static func ofRefresh(leaseEndsAt: Date?, time: TimeSource) -> Deadline {
        let leased = leaseEndsAt.map { $0.timeIntervalSince(time.now) * 2 / 3 } ?? .infinity
        return Deadline(leased < ofRefresh.timeInterval ? .seconds(max(0, leased)) : ofRefresh, on: time)
    }

    /// The deadline for verifying the result of the refresh.
    var forVerification: Deadline { Deadline(max(remaining, Self.verification), on: time) }
}
