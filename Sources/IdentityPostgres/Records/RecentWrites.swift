#if PostgreSQL
import Foundation
import IdentityKit

/// What this program wrote last. A standby that is promoted without the last commits, or a backup that is restored, does not
/// have it: its refresh tokens were spent, and their successors are here.
final class RecentWrites: Sendable {
    private struct Write: Sendable {
        let record: StoreRecord
        let at = ContinuousTime.now
    }

    /// The most that are kept.
    private static let limit = 1_000
    private let writes = Locked<[StoreKey: Write]>([:])

    func note(_ record: StoreRecord) {
        writes.withLock { writes in
            writes[record.key] = Write(record: record)
            guard writes.count > 2 * Self.limit else { return }
            let newest = writes.values.sorted { $0.at > $1.at }.prefix(Self.limit)
            writes = Dictionary(uniqueKeysWithValues: newest.map { ($0.record.key, $0) })
        }
    }

    func forget(_ key: StoreKey) { writes.withLock { _ = $0.removeValue(forKey: key) } }

    /// What this program wrote later than `found`, in whose place it belongs; `nil` when `found` is newer, such as a sign-out
    /// after the database went back. Its age is told by the clock of the database that has it.
    func successor(of found: StoreRecord) -> StoreRecord? {
        guard let write = writes.withLock({ $0[found.key] }), write.record.generation > found.generation,
            let age = found.age, age > .nanoseconds(Int64(clamping: ContinuousTime.now &- write.at))
        else { return nil }
        return write.record
    }
}
#endif
