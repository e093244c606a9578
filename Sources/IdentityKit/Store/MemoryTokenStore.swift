import Foundation

/// A store that lives as long as the process: for tests, previews and short-lived tools.
public final class MemoryTokenStore: TokenStore {
    private struct State: Sendable {
        var records: [StoreKey: StoreRecord] = [:]
        var leases: Set<StoreKey> = []
    }

    private let state = Locked(State())
    private let broadcast = ChangeBroadcast()

    /// An empty store.
    public init() {}

    /// The record under `key`.
    public func record(for key: StoreKey) async throws -> StoreRecord? {
        state.withLock { $0.records[key] }
    }

    /// The records of a collection.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        StoreListing(records: state.withLock { $0.records.values.filter { $0.key.collection == collection } })
    }

    /// Compare-and-swap on the generation.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        let record = try state.withLock { state in
            let current = state.records[key]?.generation ?? 0
            guard current == generation else { throw TokenStoreError.conflict(key, current: current) }
            let record = StoreRecord(key: key, generation: current + 1, content: content)
            state.records[key] = record
            return record
        }
        broadcast.send(StoreChange(key: key, generation: record.generation, hasContent: content != nil))
        return record
    }

    /// The lease on `key`, when it is free.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        guard state.withLock({ $0.leases.insert(key).inserted }) else { return nil }
        return Lease { [state] in _ = state.withLock { $0.leases.remove(key) } }
    }

    /// The changes from now on.
    public func changes() -> AsyncStream<StoreChange> {
        broadcast.stream()
    }

    private final class Lease: StoreLease {
        private let giveBack: Locked<(@Sendable () -> Void)?>

        init(giveBack: @escaping @Sendable () -> Void) {
            self.giveBack = Locked(giveBack)
        }

        deinit { releaseNow() }

        func release() async { releaseNow() }

        private func releaseNow() {
            let action = giveBack.withLock { action in
                defer { action = nil }
                return action
            }
            action?()
        }
    }
}
