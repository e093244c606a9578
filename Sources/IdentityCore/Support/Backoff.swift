/// Repeats attempts at something that another task, process or server holds.
package enum Backoff {
    /// The result of the first attempt that returns one. The pauses between attempts grow, are randomized so that many
    /// waiters do not return together, and are bounded in total.
    /// - Parameters:
    ///   - limit: the sum of all pauses.
    ///   - first: the first pause, or a part of it; the next ones are longer.
    ///   - longest: the longest pause.
    ///   - error: the error to throw when the last attempt has no result.
    ///   - mayPass: whether another attempt may follow an error, after a pause of that length.
    ///   - pause: suspends for the given duration.
    ///   - attempt: an attempt; `nil` for no result.
    /// - Throws: an error of an attempt that does not pass, or of the last one, and what `pause` throws.
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
