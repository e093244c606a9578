/// Limits the time to wait for work.
///
/// Work that is too slow is cancelled, and the caller does not wait for its end. A task group cannot do this, because it
/// waits for all its children.
package enum Deadline {
    /// The result of `work`, or `error` when it takes longer than `limit`.
    /// - Throws: what `work` throws, `error`, or `CancellationError` when the caller is cancelled.
    package static func run<Value: Sendable>(
        _ limit: Duration, on time: TimeSource, orThrow error: any Error,
        _ work: @escaping @Sendable () async throws -> Value
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
                        guard (try? await time.sleep(for: limit)) != nil else { return }
                        race.end(.failure(error))
                    })
            }
        } onCancel: {
            race.end(.failure(CancellationError()))
        }
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
