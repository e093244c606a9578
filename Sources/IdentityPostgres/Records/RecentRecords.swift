#if PostgreSQL
import Foundation
import IdentityKit

/// The records that this program wrote or read last, at most 2,000. After the promotion of a standby without the last commits,
/// or after the restoration of a backup, the database may have only earlier versions of these records. The refresh tokens in
/// the earlier versions may be spent, and the tokens that replaced them are then only in this memory.
final class RecentRecords: Sendable {
    fileprivate struct Entry: Sendable {
        let record: StoreRecord
        /// The earliest and the latest possible time of the write, in nanoseconds since the system was started;
        /// negative before the start. The exact time is unknown, because the database reports only an age, and its
        /// answer takes time.
        let written: ClosedRange<Int64>
        /// The values of the audit entry, if this program wrote the record with an audit trail; otherwise empty.
        let meaning: [PostgresValue]
    }

    private static let limit = 1_000
    private let entries = Locked<[StoreKey: Entry]>([:])

    /// Remembers `record`, unless this memory has a version that was written later. A record without an age counts as
    /// written now.
    /// - Parameters:
    ///   - start: the time before the database was asked, in nanoseconds since the system was started.
    ///   - meaning: the values of the audit entry that was written with the record; empty for a record that was read.
    func note(_ record: StoreRecord, askedAt start: UInt64, as meaning: [PostgresValue] = []) {
        let written = Self.times(of: record, askedAt: start)
        entries.withLock { entries in
            let known = entries[record.key]
            if let known, known.written.upperBound > written.upperBound { return }
            // A read does not return the values of the audit entry, so keep those that are known of the same version.
            let kept = known.flatMap { $0.record == record && meaning.isEmpty ? $0.meaning : nil }
            entries[record.key] = Entry(record: record, written: written, meaning: kept ?? meaning)
            guard entries.count > 2 * Self.limit else { return }
            let newest = entries.values.sorted { $0.written.upperBound > $1.written.upperBound }.prefix(Self.limit)
            entries = Dictionary(uniqueKeysWithValues: newest.map { ($0.record.key, $0) })
        }
    }

    func forget(_ key: StoreKey) { entries.withLock { _ = $0.removeValue(forKey: key) } }

    /// A remembered version of a record that replaces the earlier version found in the database.
    struct Successor {
        let record: StoreRecord
        /// The time between the writes of the found version and of this one. The store adds it to the time at which the found
        /// version was written. If the store instead subtracted an age from the current time, a slow database would make the
        /// result too late, and a restored session could look younger than a sign-out that followed it.
        let distance: Duration
        /// The values of the audit entry of this version; empty if another program wrote it.
        let meaning: [PostgresValue]
    }

    /// Returns the remembered version that is later than `found` and has to replace it. Returns `nil` when there is
    /// none, when `found` has no age, or when `found` was written later, such as a sign-out after the database was
    /// restored. Ages are measured by the clock of the database. If an erasure and a session may have been written
    /// within one second, the erasure takes precedence.
    /// - Parameter start: the time before the database was asked, in nanoseconds since the system was started.
    func successor(of found: StoreRecord, askedAt start: UInt64) -> Successor? {
        let times = Self.times(of: found, askedAt: start)
        guard let known = entries.withLock({ $0[found.key] }), known.record.generation > found.generation,
            found.age != nil, known.isLater(than: times, isErased: found.content == nil)
        else { return nil }
        // Prefer erasures: an erasure counts as written at its latest possible time, a session at its earliest.
        let isErased = known.record.content == nil
        let time = isErased ? known.written.upperBound : known.written.lowerBound
        let distance = time - (isErased ? times.lowerBound : times.upperBound)
        return Successor(
            record: StoreRecord(
                key: found.key, generation: known.record.generation, content: known.record.content,
                age: .nanoseconds(max(0, Int64(clamping: ContinuousTime.now) - time))),
            distance: .nanoseconds(distance), meaning: known.meaning)
    }

    private static func times(of record: StoreRecord, askedAt start: UInt64) -> ClosedRange<Int64> {
        // A hundred years at most, so that differences do not overflow.
        let age = Int64(min(max(0, (record.age ?? .zero) / .nanoseconds(1)), 3.2e18))
        func before(_ time: UInt64) -> Int64 { Int64(clamping: time) - age }
        return before(start)...max(before(start), before(ContinuousTime.now))
    }
}

extension RecentRecords.Entry {
    /// Whether this version was written later than the found one. Between an erasure and a session, the erasure counts
    /// as later if less than a second may separate them.
    /// - Parameters:
    ///   - other: the range of times in which the found version was written.
    ///   - isErased: whether the found version is an erasure.
    fileprivate func isLater(than other: ClosedRange<Int64>, isErased: Bool) -> Bool {
        let second: Int64 = 1_000_000_000
        return switch (record.content == nil, isErased) {
        case (true, false): other.lowerBound < written.upperBound + second
        case (false, true): other.upperBound + second < written.lowerBound
        case (true, true), (false, false): other.upperBound < written.upperBound
        }
    }
}
#endif
