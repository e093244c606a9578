/// A deadline measured in boot time: the time since the system was started. Boot time goes on while the process is
/// stopped or the machine sleeps. With a clock that has no boot time, the deadline is measured in wall-clock time.
///
/// If the process was stopped at the deadline or shortly before, ``pass()`` and ``run(orThrow:_:)`` wait a little longer, so
/// that the process can read what has arrived meanwhile.
package struct Deadline: Sendable {
    package let time: TimeSource
    package let limit: Duration
    private let start: TimeSource.Mark

    package init(_ limit: Duration, on time: TimeSource) {
        (self.time, self.limit) = (time, max(limit, .zero))
        start = time.mark
    }

    /// The time left until the deadline, between zero and ``limit``. Boot time is not affected when the wall clock is
    /// set.
    package var remaining: Duration { max(limit - time.elapsed(since: start), .zero) }

    /// Whether no time is left, so that no new work may begin.
    package var hasPassed: Bool { remaining == .zero }

    /// The extra time after a stop of the process, in which it reads what has arrived meanwhile.
    private static let grace = Duration.seconds(1)
    /// The longest delay of a timer in a running process. After a longer delay, the process counts as stopped
    /// meanwhile.
    private static let lateness = Duration.milliseconds(100)

    /// Suspends until the deadline. If the process was stopped at the deadline or shortly before, suspends for up to
    /// two seconds more. With a clock without boot time, stops are not noticed.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func pass() async throws {
        guard time.hasUptime else { return try await time.sleep(for: remaining) }
        // Pause separately for the last second, or for the second half if less than two seconds are left. A stop that
        // ends shortly before the deadline is then noticed.
        let last = min(remaining / 2, Self.grace)
        let wasStopped = try await isLate(after: remaining - last)
        guard try await isLate(after: max(remaining, wasStopped ? Self.grace : .zero)) else { return }
        try await time.sleep(for: Self.grace)
    }

    private func isLate(after pause: Duration) async throws -> Bool {
        let mark = time.mark
        try await time.sleep(for: pause)
        return time.elapsed(since: mark) > pause + Self.lateness
    }

    /// Returns the result of `work`, or throws `error` at the deadline. The deadline cancels the work. The caller does
    /// not wait until the cancelled work has ended, as it would with a task group.
    /// - Throws: what `work` throws, `error`, or `CancellationError` when the caller is cancelled.
    package func run<Value: Sendable>(
        orThrow error: any Error, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let race = Race<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                race.begin(continuation)
                race.add(
                    Task {
                        do { race.end(.success(try await work())) } catch { race.end(.failure(error)) }
                    })
                race.add(
                    Task {
                        guard (try? await pass()) != nil else { return }
                        race.end(.failure(error))
                    })
            }
        } onCancel: {
            race.end(.failure(CancellationError()))
        }
    }

    /// Returns the result of `work`, or throws `error` when the work takes longer than `limit`.
    /// - Throws: what `work` throws, `error`, or `CancellationError` when the caller is cancelled.
    package static func run<Value: Sendable>(
        _ limit: Duration, on time: TimeSource, orThrow error: any Error,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await Deadline(limit, on: time).run(orThrow: error, work)
    }
}

/// Returns the first result to the waiting caller, and cancels all tasks of the race.
private final class Race<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var continuation: CheckedContinuation<Value, any Error>?
        var runners: [Task<Void, Never>] = []
        var result: Result<Value, any Error>?
    }

    private let state = Locked(State())

    func begin(_ continuation: CheckedContinuation<Value, any Error>) {
        let early = state.withLock { state in
            if state.result == nil { state.continuation = continuation }
            return state.result
        }
        if let early { continuation.resume(with: early) }
    }

    func add(_ runner: Task<Void, Never>) {
        let isOver = state.withLock { state in
            state.runners.append(runner)
            return state.result != nil
        }
        if isOver { runner.cancel() }
    }

    func end(_ result: Result<Value, any Error>) {
        let (continuation, runners) = state.withLock { state in
            guard state.result == nil else {
                return (nil, []) as (CheckedContinuation<Value, any Error>?, [Task<Void, Never>])
            }
            state.result = result
            defer { state.continuation = nil }
            return (state.continuation, state.runners)
        }
        for runner in runners { runner.cancel() }
        continuation?.resume(with: result)
    }
}
