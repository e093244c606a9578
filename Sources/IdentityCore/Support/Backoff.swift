/// Repeats attempts to get something that another task, process or server holds, such as a lock.
package enum Backoff {
    /// Returns the result of the first attempt that has one. The pauses between attempts grow, and their sum is limited. Each
    /// pause is a random time between half of its upper limit and the whole limit, so that many waiters do not try again at the
    /// same time.
    /// - Parameters:
    ///   - limit: the largest sum of all pauses. The time of the attempts does not count.
    ///   - first: the upper limit of the first pause. The upper limit doubles with each attempt.
    ///   - longest: the largest upper limit of the later pauses.
    ///   - error: the error to throw when the last attempt has no result.
    ///   - mayPass: whether another attempt may follow the given error after a pause of the given length.
    ///   - pause: suspends for the given duration.
    ///   - attempt: makes one attempt, and returns `nil` for no result.
    /// - Throws: `error` when the last attempt has no result; the error of an attempt when `mayPass` is `false` or no
    ///   pause is left; and what `pause` throws.
    package static func result<Result>(
        within limit: Duration, from first: Duration = .milliseconds(1), to longest: Duration = .milliseconds(50),
        orThrow error: @autoclosure () -> any Error = CancellationError(),
        whereErrorPasses mayPass: (any Error, Duration) -> Bool = { _, _ in false },
        pausing pause: (Duration) async throws -> Void, _ attempt: () async throws -> Result?
    ) async throws -> Result {
        var (remaining, step) = (limit, first)
        while true {
            let next = min(step * Double.random(in: 0.5...1), remaining)
            do {
                if let result = try await attempt() { return result }
                guard next > .zero else { throw error() }
            } catch let failure where next > .zero && mayPass(failure, next) {}
            (remaining, step) = (remaining - next, min(step * 2, longest))
            try await pause(next)
        }
    }
}
