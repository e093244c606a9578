#if PostgreSQL
import Foundation
import IdentityKit

/// The records that this program wrote or read last. A standby that is promoted without the last commits, or a backup that is restored,
/// does not have them: its refresh tokens were spent, and their successors are here.
final class RecentRecords: Sendable {
    fileprivate struct Entry: Sendable {
        let record: StoreRecord
        /// When it was written: between these times, because an answer takes its time.
        let written: ClosedRange<UInt64>
    }

    /// The most that are kept.
    private static let limit = 1_000
    private let entries = Locked<[StoreKey: Entry]>([:])

    /// Keeps `record`, unless a younger one is known. One without an age was written now.
    /// - Parameter start: when the database was asked.
    func note(_ record: StoreRecord, askedAt start: UInt64) {
        let entry = Entry(record: record, written: Self.times(of: record, askedAt: start))
        entries.withLock { entries in
            if let known = entries[record.key], known.written.upperBound > entry.written.upperBound { return }
            entries[record.key] = entry
            guard entries.count > 2 * Self.limit else { return }
            let newest = entries.values.sorted { $0.written.upperBound > $1.written.upperBound }.prefix(Self.limit)
            entries = Dictionary(uniqueKeysWithValues: newest.map { ($0.record.key, $0) })
        }
    }

    func forget(_ key: StoreKey) { entries.withLock { _ = $0.removeValue(forKey: key) } }

    /// A record that a found one has to give way to.
    struct Successor {
        let record: StoreRecord
        /// How much later than the found one it was written. A time counted from now would be late by however long the
        /// database takes, and a session could look younger than the sign-out after it.
        let distance: Duration
    }

    /// The record that is known to be later than `found`, in whose place it belongs; `nil` when `found` is younger, such as a
    /// sign-out after the database went back. The age is told by the clock of the database that has it. Where an erasure and a
    /// session are of the same second, or may be, the erasure counts.
    /// - Parameter start: when the database was asked.
    func successor(of found: StoreRecord, askedAt start: UInt64) -> Successor? {
        let times = Self.times(of: found, askedAt: start)
        guard let known = entries.withLock({ $0[found.key] }), known.record.generation > found.generation,
            found.age != nil, known.isLater(than: times, isErased: found.content == nil)
        else { return nil }
        // Others compare it as well: an erasure is as late as it can have been, a session as early.
        let isErased = known.record.content == nil
        let time = isErased ? known.written.upperBound : known.written.lowerBound
        let distance = Int64(bitPattern: time &- (isErased ? times.lowerBound : times.upperBound))
        return Successor(
            record: StoreRecord(
                key: found.key, generation: known.record.generation, content: known.record.content,
                age: .nanoseconds(Int64(clamping: ContinuousTime.now &- time))),
            distance: .nanoseconds(distance))
    }

    private static func times(of record: StoreRecord, askedAt start: UInt64) -> ClosedRange<UInt64> {
        let age = (record.age ?? .zero).components
        let parts = UInt64(clamping: age.seconds) &* 1_000_000_000 &+ UInt64(clamping: age.attoseconds / 1_000_000_000)
        func before(_ time: UInt64) -> UInt64 { time > parts ? time - parts : 0 }
        return before(start)...max(before(start), before(ContinuousTime.now))
    }
}

extension RecentRecords.Entry {
    /// Whether it was written later than another record of its name.
    fileprivate func isLater(than other: ClosedRange<UInt64>, isErased: Bool) -> Bool {
        let second: UInt64 = 1_000_000_000
        return switch (record.content == nil, isErased) {
        case (true, false): other.lowerBound < written.upperBound + second
        case (false, true): other.upperBound + second < written.lowerBound
        case (true, true), (false, false): other.upperBound < written.upperBound
        }
    }
}
#endif
