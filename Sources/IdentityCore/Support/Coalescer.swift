/// Runs one piece of work per key at a time and returns its result to all callers that ask for it meanwhile.
///
/// The work runs in a task of its own. A cancelled caller returns at once, and the work goes on for the other callers.
/// When the last caller is cancelled, ``Abandonment`` decides what happens. Results are not kept.
package final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The treatment of work whose callers were all cancelled.
    package enum Abandonment: Sendable {
        /// The work goes on, and the next caller joins it: a refresh must not be interrupted, and a sign-in stays on
        /// screen.
        case finish
        /// The work is cancelled, and the last caller returns without waiting for its end. The next caller starts the
        /// work again.
        case cancel
        /// The work is cancelled, and the last caller returns only when the work has ended, so that nothing of it stays
        /// on screen. A caller that comes meanwhile waits for that end, and starts the work again.
        case end
    }

    // Each waiter is resumed exactly once: by the function that removed it from the state under the lock, or by `share`
    // if it was never added.
    private typealias Waiter = UnsafeContinuation<Value, any Error>

    private struct Run: Sendable {
        let id: UInt64
        let abandonment: Abandonment
        var line = WaiterQueue<Waiter>()
        /// The last caller, if it was cancelled and waits for the end of the work.
        var last: Waiter?
        var task: Task<Void, Never>?
    }

    /// Tells a caller that the work it waited for was cancelled because of another caller. The caller starts the work again.
    private struct WasAbandoned: Error {}

    /// A key, with the number of calls of ``beginAnew()`` so far. Callers after a further call have another number, so that
    /// they do not join work that started before that call.
    private struct Place: Hashable, Sendable {
        let key: Key
        let era: UInt64
    }

    private struct State: Sendable {
        var runs: [Place: Run] = [:]
        var era: UInt64 = 0
        /// The last number given to a run or a caller.
        var count: UInt64 = 0

        mutating func next() -> UInt64 {
            count += 1
            return count
        }

        func place(of key: Key) -> Place { Place(key: key, era: era) }

        /// Adds a caller to the run at `place`. Changes the run inside the dictionary, because copying the list of callers
        /// for each of a thousand callers would take a million steps.
        /// - Returns: whether there is a run.
        mutating func join(_ place: Place, _ caller: UInt64, _ waiter: Waiter) -> Bool {
            guard let run = runs.index(forKey: place) else { return false }
            runs.values[run].line.append(waiter, as: caller)
            return true
        }
    }

    private let state = Locked(State())

    package init() {}

    /// Returns the result of the work for `key`, and starts the work unless it is running already.
    /// - Parameters:
    ///   - key: identifies the work. Callers with the same key share a result.
    ///   - abandonment: what happens when all callers are cancelled. Only the value of the caller that starts the work
    ///     counts.
    ///   - onJoining: called before waiting if another caller has started the work already.
    ///   - work: computes the result; not called if another caller has started the work already.
    /// - Throws: what `work` throws, or `CancellationError` when this caller is cancelled and does not wait for the end
    ///   of the work.
    package func value(
        for key: Key, whenAbandoned abandonment: Abandonment = .finish, onJoining: () -> Void = {},
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        while true {
            do {
                return try await share(key, abandonment, onJoining, work)
            } catch is WasAbandoned {}
        }
    }

    private func share(
        _ key: Key, _ abandonment: Abandonment, _ onJoining: () -> Void,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (caller, place) = state.withLock { ($0.next(), $0.place(of: key)) }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { waiter in
                let (isWaiting, isJoining) = state.withLock { state in
                    // Check under the lock, so that either the cancellation handler finds this waiter, or this check
                    // finds the cancellation.
                    guard !Task.isCancelled else { return (false, false) }
                    if state.join(place, caller, waiter) { return (true, true) }
                    let id = state.next()
                    // The task cannot end before the lock is released, because its end needs the lock.
                    var run = Run(id: id, abandonment: abandonment, task: Task { await self.run(place, id, work) })
                    run.line.append(waiter, as: caller)
                    state.runs[place] = run
                    return (true, false)
                }
                if isJoining { onJoining() }
                if !isWaiting { waiter.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            leave(place, caller)
        }
    }

    /// Makes later callers start the work again, even if it is running now. The running work goes on for its present callers.
    package func beginAnew() { state.withLock { $0.era += 1 } }

    package func isRunning(_ key: Key) -> Bool { state.withLock { $0.runs[$0.place(of: key)] != nil } }

    package func waiterCount(for key: Key) -> Int {
        state.withLock { $0.runs[$0.place(of: key)]?.line.count ?? 0 }
    }

    private func leave(_ place: Place, _ caller: UInt64) {
        let (waiter, abandoned) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = state.runs[place]?.line.remove(caller) else { return (nil, nil) }
            guard let run = state.runs[place], run.line.count == 0, run.abandonment != .finish, run.last == nil else {
                return (waiter, nil)
            }
            guard run.abandonment == .cancel else {
                state.runs[place]?.last = waiter
                return (nil, run.task)
            }
            // Remove the run at once, so that no caller joins work that is being cancelled.
            state.runs[place] = nil
            return (waiter, run.task)
        }
        abandoned?.cancel()
        waiter?.resume(throwing: CancellationError())
    }

    private func run(_ place: Place, _ id: UInt64, _ work: @Sendable () async throws -> Value) async {
        let result: Result<Value, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        let run = state.withLock { state in
            state.runs[place]?.id == id ? state.runs.removeValue(forKey: place) : nil
        }
        let shared = run?.last == nil ? result : .failure(WasAbandoned())
        for waiter in run?.line.waiters ?? [] { waiter.resume(with: shared) }
        run?.last?.resume(with: result)
    }
}
