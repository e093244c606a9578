import Foundation

/// The marker of an account's record, taken before the record is read: while it stays the same, what was read is what is stored.
package struct VersionStamp: Sendable {
    private let marker: any StoreVersion
    private let value: UInt64
    let takenAt: Date

    /// - Returns: `nil` in a store without markers, and while a marker is unknown.
    package init?(of account: AccountID, in store: any TokenStore, at now: Date) {
        guard let marker = store.marker(for: .account(account)) else { return nil }
        value = marker.value
        guard value != 0 else { return nil }
        (self.marker, takenAt) = (marker, now)
    }

    /// Whether the record has not changed as far as the marker tells.
    var isUnchanged: Bool { marker.value == value }

    /// Whether the record certainly has not changed. It is uncertain after the clock was set back, and after half a minute,
    /// because markers are hints.
    package func isCurrent(at now: Date) -> Bool {
        let age = now.timeIntervalSinceReferenceDate - takenAt.timeIntervalSinceReferenceDate
        return age >= 0 && age < 30 && isUnchanged
    }
}
