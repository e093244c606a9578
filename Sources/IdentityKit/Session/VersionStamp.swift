import Foundation

/// The value of the change marker (`StoreVersion`) of an account's record, taken before the record is read. As long as the
/// marker keeps that value, the stored record is normally the one that was read.
package struct VersionStamp: Sendable {
    private let marker: any StoreVersion
    private let value: UInt64
    let takenAt: Date

    /// Takes the value of the record's marker.
    /// - Returns: `nil` in a store without markers, and while the value is zero, which means unknown.
    package init?(of account: AccountID, in store: any TokenStore, at now: Date) {
        guard let marker = store.marker(for: .account(account)) else { return nil }
        value = marker.value
        guard value != 0 else { return nil }
        (self.marker, takenAt) = (marker, now)
    }

    /// Whether the marker still has the taken value, which normally means that the record is unchanged.
    var isUnchanged: Bool { marker.value == value }

    /// Whether the record counts as unchanged without being read. The marker must be unchanged and taken less than 30
    /// seconds ago, because markers are only hints. `false` after the clock was set back.
    package func isCurrent(at now: Date) -> Bool {
        let age = now.timeIntervalSinceReferenceDate - takenAt.timeIntervalSinceReferenceDate
        return age >= 0 && age < 30 && isUnchanged
    }
}
