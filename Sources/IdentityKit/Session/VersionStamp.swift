import Foundation

/// A marker of an account's record, taken before the record is read. As long as the marker stays the same, the record
/// read is the stored one.
package struct VersionStamp: Sendable {
    private let marker: any StoreVersion
    private let value: UInt64
    let takenAt: Date

    /// Takes the marker of the record.
    /// - Returns: `nil` in a store without markers, and while a marker is unknown.
    package init?(of account: AccountID, in store: any TokenStore, at now: Date) {
        guard let marker = store.marker(for: .account(account)) else { return nil }
        value = marker.value
        guard value != 0 else { return nil }
        (self.marker, takenAt) = (marker, now)
    }

    /// Whether, as far as the marker tells, the record is unchanged.
    var isUnchanged: Bool { marker.value == value }

    /// Whether the record is certainly unchanged. Uncertain after the clock was set back, and after half a minute,
    /// because markers are only hints.
    package func isCurrent(at now: Date) -> Bool {
        let age = now.timeIntervalSinceReferenceDate - takenAt.timeIntervalSinceReferenceDate
        return age >= 0 && age < 30 && isUnchanged
    }
}
