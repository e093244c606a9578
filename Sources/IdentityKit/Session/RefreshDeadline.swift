import Foundation

/// Deadlines for the requests of a refresh.
///
/// A refresh that outlasts its lease would run at the same time as the next one, and both would send the refresh token.
/// Therefore, all requests of a refresh together get less time than the lease lasts. After that time no request is
/// sent, even if the server is slow or the system has suspended the process.
extension Deadline {
    /// Time for all requests of a refresh: enough for a slow server, and less than other callers wait for the lease.
    static let ofRefresh = Duration.seconds(30)

    /// Minimum time for verifying a result, which is already stored.
    private static let verification = Duration.seconds(5)

    /// The time when a lease that begins now may be taken over; `nil` when it lasts until it is released.
    static func of(_ lease: any StoreLease, time: TimeSource) -> Deadline? {
        lease.endsAt.map { Deadline(ContinuousClock.now.duration(to: $0), on: time) }
    }

    /// The deadline of a refresh that begins now, at most 30 seconds ahead.
    /// - Parameter lease: when the lease of the refresh may be taken over; `nil` for never. A third of that time is
    ///   reserved for storing the result.
    static func ofRefresh(within lease: Deadline?, time: TimeSource) -> Deadline {
        Deadline(min(lease.map { $0.limit * 2 / 3 } ?? ofRefresh, ofRefresh), on: time)
    }

    /// The deadline for verifying the result of the refresh: the time that remains, but at least five seconds from now.
    var forVerification: Deadline { Deadline(max(remaining, Self.verification), on: time) }
}
