import Foundation

/// One walk at a time per key, for everybody who asks meanwhile.
///
/// A caller who is cancelled leaves at once and alone. When the last one leaves, a walk that shows nothing is cancelled; a
/// sign-in that is on the screen goes on, and whoever asks next finds it there. Nothing is remembered afterwards, neither
/// a failure nor a cancellation.
final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What becomes of a walk that nobody waits for.
    enum Abandonment { case cancel, finish }

    private typealias Waiter = CheckedContinuation<Value, any Error>

    private struct Flight: Sendable {
        let id = UUID()
        let endsWhenAbandoned: Bool
        var waiters: [UUID: Waiter] = [:]
        var task: Task<Void, Never>?
    }

    private let flights = Locked<[Key: Flight]>([:])

    /// The result of the walk for `key`, started with `work` when there is none.
    /// - Throws: what `work` throws, or `CancellationError` when this caller is cancelled.
    func value(
        for key: Key, whenAbandoned: Abandonment, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let caller = UUID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let joined = flights.withLock { flights in
                    // Checked under the lock: either the cancellation handler finds this waiter, or this finds the
                    // cancellation.
                    guard !Task.isCancelled else { return false }
                    if flights[key] == nil {
                        var flight = Flight(endsWhenAbandoned: whenAbandoned == .cancel)
                        flight.task = Task { [id = flight.id] in await self.fly(key, id, work) }
                        flights[key] = flight
                    }
                    flights[key]?.waiters[caller] = waiter
                    return true
                }
                if !joined { waiter.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            leave(key, caller)
        }
    }

    /// How many callers wait for `key`.
    func waiterCount(for key: Key) -> Int {
        flights.withLock { $0[key]?.waiters.count ?? 0 }
    }

    private func leave(_ key: Key, _ caller: UUID) {
        let (waiter, abandoned) = flights.withLock { flights -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = flights[key]?.waiters.removeValue(forKey: caller) else { return (nil, nil) }
            guard let flight = flights[key], flight.waiters.isEmpty, flight.endsWhenAbandoned else {
                return (waiter, nil)
            }
            // Out of the table at once, so that nobody joins a walk that is being cancelled.
            flights[key] = nil
            return (waiter, flight.task)
        }
        abandoned?.cancel()
        waiter?.resume(throwing: CancellationError())
    }

    private func fly(_ key: Key, _ id: UUID, _ work: @Sendable () async throws -> Value) async {
        let result: Result<Value, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        let waiters = flights.withLock { flights in
            flights[key]?.id == id ? flights.removeValue(forKey: key)?.waiters : nil
        }
        for waiter in (waiters ?? [:]).values { waiter.resume(with: result) }
    }
}
