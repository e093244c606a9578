/// A deadline measured in boot time, which goes on while the process is stopped or the machine sleeps.
///
/// A process that was stopped reads what has arrived meanwhile before it finds that it is too late.
package struct Deadline: Sendable {
    package let time: TimeSource
    package let limit: Duration
    private let start: TimeSource.Mark

    package init(_ limit: Duration, on time: TimeSource) {
        (self.time, self.limit) = (time, max(limit, .zero))
        start = time.mark
    }

    /// The time left until the deadline; zero after it. Setting the clock back does not add any.
    package var remaining: Duration { max(limit - time.elapsed(since: start), .zero) }

    /// Whether nothing may begin any more.
    package var hasPassed: Bool { remaining == .zero }

    /// Extra time for a process that was stopped, in which it takes what has arrived meanwhile.
    private static let grace = Duration.seconds(1)
    /// The delay of a timer beyond which the process must have been stopped.
    private static let lateness = Duration.milliseconds(100)

    /// Suspends until the deadline, and for another second if the process was stopped when the deadline passed.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func pass() async throws {
        guard time.hasUptime else { return try await time.sleep(for: remaining) }
        // Pause separately for the last second, to notice a stop that ends shortly before the deadline.
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

    /// The result of `work`, or `error` when it takes longer. The work is cancelled then, but the caller does not wait
    /// for it to end, as a task group would.
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

    /// The result of `work`, or `error` when it takes longer than `limit`.
    /// - Throws: what `work` throws, `error`, or `CancellationError` when the caller is cancelled.
    package static func run<Value: Sendable>(
        _ limit: Duration, on time: TimeSource, orThrow error: any Error,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await Deadline(limit, on: time).run(orThrow: error, work)
    }
}

/// Keeps the first result and cancels the other tasks.
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
