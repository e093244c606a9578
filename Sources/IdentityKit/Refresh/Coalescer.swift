import Foundation

/// Runs one piece of work per key at a time and gives its result to everybody who asked for it meanwhile.
///
/// The work runs in a task of its own. A caller who is cancelled leaves at once and alone: the work and the other
/// callers do not notice. Nothing is remembered afterwards, least of all a failure.
package final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value, any Error>

    /// What a caller is to its flight.
    private enum Role { case pilot, passenger, cancelled }

    private let flights = Locked<[Key: [UUID: Waiter]]>([:])

    package init() {}

    /// The result of the flight for `key`, started with `work` when there is none.
    /// - Throws: what `work` throws, or `CancellationError` when this caller is cancelled.
    package func value(
        for key: Key, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let id = UUID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                join(key, as: id, waiter, starting: work)
            }
        } onCancel: {
            let waiter = flights.withLock { $0[key]?.removeValue(forKey: id) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func join(
        _ key: Key, as id: UUID, _ waiter: Waiter, starting work: @escaping @Sendable () async throws -> Value
    ) {
        let role: Role = flights.withLock { flights in
            // Checked under the lock: either the cancellation handler finds this waiter, or this finds the cancellation.
            if Task.isCancelled { return .cancelled }
            let isFirst = flights[key] == nil
            flights[key, default: [:]][id] = waiter
            return isFirst ? .pilot : .passenger
        }
        switch role {
        case .cancelled: waiter.resume(throwing: CancellationError())
        case .passenger: break
        case .pilot: Task { await fly(key, work) }
        }
    }

    private func fly(_ key: Key, _ work: @Sendable () async throws -> Value) async {
        let result: Result<Value, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        let waiters = flights.withLock { $0.removeValue(forKey: key) } ?? [:]
        for waiter in waiters.values { waiter.resume(with: result) }
    }
}
