#if PostgreSQL
import Foundation
import IdentityKit

/// The records that this program wrote or read last. A standby that is promoted without the last commits, or a backup that is restored,
/// does not have them: its refresh tokens were spent, and their successors are here.
final class RecentRecords: Sendable {
    private struct Entry: Sendable {
        let record: StoreRecord
        /// When it was written.
        let at: UInt64
    }

    /// The most that are kept.
    private static let limit = 1_000
    private let entries = Locked<[StoreKey: Entry]>([:])

    /// Keeps `record`, unless a younger one is known. One without an age was written now.
    func note(_ record: StoreRecord) {
        let entry = Entry(record: record, at: Self.time(of: record.age ?? .zero))
        entries.withLock { entries in
            if let known = entries[record.key], known.at > entry.at { return }
            entries[record.key] = entry
            guard entries.count > 2 * Self.limit else { return }
            let newest = entries.values.sorted { $0.at > $1.at }.prefix(Self.limit)
            entries = Dictionary(uniqueKeysWithValues: newest.map { ($0.record.key, $0) })
        }
    }

    func forget(_ key: StoreKey) { entries.withLock { _ = $0.removeValue(forKey: key) } }

    /// The record that is known to be later than `found`, in whose place it belongs; `nil` when `found` is younger, such as a
    /// sign-out after the database went back. The age is told by the clock of the database that has it, and includes the way
    /// from there: of two records within a second the one without a session counts.
    func successor(of found: StoreRecord) -> StoreRecord? {
        guard let known = entries.withLock({ $0[found.key] }), known.record.generation > found.generation,
            let age = found.age,
            Self.time(of: age) + Self.lead(of: found) < known.at + Self.lead(of: known.record)
        else { return nil }
        return StoreRecord(
            key: found.key, generation: known.record.generation, content: known.record.content,
            age: .nanoseconds(Int64(clamping: ContinuousTime.now &- known.at)))
    }

    private static func lead(of record: StoreRecord) -> UInt64 { record.content == nil ? 1_000_000_000 : 0 }

    private static func time(of age: Duration) -> UInt64 {
        let (now, since) = (ContinuousTime.now, UInt64(clamping: age.components.seconds) &* 1_000_000_000)
        let parts = since &+ UInt64(clamping: age.components.attoseconds / 1_000_000_000)
        return now > parts ? now - parts : 0
    }
}
#endif
