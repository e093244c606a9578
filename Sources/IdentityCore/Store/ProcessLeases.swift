import Foundation

package final class ProcessLeases: Sendable {
    private let held = Locked<Set<StoreKey>>([])

    package init() {}

    /// Claims the lease on `key`, whose writes go to `store`; `nil` while another caller in this process holds it.
    package func lease(for key: StoreKey, of store: any TokenStore) -> (any StoreLease)? {
        guard held.withLock({ $0.insert(key).inserted }) else { return nil }
        return Lease(leases: self, key: key, store: store)
    }

    private func free(_ key: StoreKey) {
        _ = held.withLock { $0.remove(key) }
    }

    private final class Lease: StoreLease {
        private let leases: ProcessLeases
        private let key: StoreKey
        private let store: any TokenStore
        private let isHeld = Locked(true)

        init(leases: ProcessLeases, key: StoreKey, store: any TokenStore) {
            self.leases = leases
            self.key = key
            self.store = store
        }

        deinit { giveBack() }

        func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
            try await store.write(content, for: key, replacing: generation)
        }

        var hasPredecessorEnded: Bool { true }

        func release() async { giveBack() }

        private func giveBack() {
            if isHeld.exchange(false) { leases.free(key) }
        }
    }
}
