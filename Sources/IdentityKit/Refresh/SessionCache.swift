import Foundation

/// The sessions this process has read, for as long as the store's markers say that nothing has changed: a valid token
/// costs no read and no lock on a file.
final class SessionCache: Sendable {
    /// A session as it was read, and how long that may be relied on.
    private final class Snapshot: Sendable {
        let session: StoredSession
        let marker: any StoreMarker
        let mark: UInt64
        let readAt: Date
        /// From then on the session is to be looked at for a renewal.
        let renewAt: Date

        init(_ session: StoredSession, marker: any StoreMarker, mark: UInt64, readAt: Date, renewAt: Date) {
            self.session = session
            self.marker = marker
            self.mark = mark
            self.readAt = readAt
            self.renewAt = renewAt
        }
    }

    private struct State: Sendable {
        var snapshots: [AccountID: Snapshot] = [:]
        /// Until when a failed renewal is not tried again while the token works.
        var postponed: [AccountID: Date] = [:]
    }

    /// Markers are hints: this often the record itself is looked at.
    private static let longestTrust: TimeInterval = 30

    private let state = Locked(State())

    /// The session of `account`, when it is certain that it is still the stored one.
    /// - Returns: with it, whether it needs no renewal.
    func session(of account: AccountID, at now: Date) -> (session: StoredSession, isFresh: Bool)? {
        guard let snapshot = state.withLock({ $0.snapshots[account] }),
            // A clock that was set back makes every age unknown.
            now >= snapshot.readAt, now < snapshot.readAt + Self.longestTrust,
            snapshot.marker.value == snapshot.mark
        else { return nil }
        return (snapshot.session, now < snapshot.renewAt)
    }

    /// Remembers a session that was read while the marker showed `mark`.
    /// - Parameter renewAt: when it is to be looked at again for a renewal.
    func remember(
        _ session: StoredSession, of account: AccountID, marker: (any StoreMarker)?, mark: UInt64, readAt: Date,
        renewAt: Date?
    ) {
        guard let marker, mark != 0 else { return }
        state.withLock { state in
            var renewAt = renewAt ?? .distantFuture
            if let postponed = state.postponed[account], let expiresAt = session.credential.expiresAt {
                renewAt = max(renewAt, min(postponed, expiresAt))
            }
            state.snapshots[account] = Snapshot(
                session, marker: marker, mark: mark, readAt: readAt, renewAt: renewAt)
        }
    }

    func forget(_ account: AccountID) {
        state.withLock { state in
            state.snapshots[account] = nil
            state.postponed[account] = nil
        }
    }

    func postpone(_ account: AccountID, until date: Date) {
        state.withLock { $0.postponed[account] = date }
    }

    /// Whether a renewal of `account` failed a short while ago.
    func isPostponed(_ account: AccountID, at now: Date) -> Bool {
        state.withLock { now < $0.postponed[account] ?? .distantPast }
    }
}
