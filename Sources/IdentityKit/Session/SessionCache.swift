import Foundation

/// The sessions this process has read, for as long as the store's markers say that nothing has changed: a valid token
/// costs no read and no lock on a file.
final class SessionCache: Sendable {
    /// A session as it was read, and how long that may be relied on.
    ///
    /// It is a reference because every call for a token takes one along.
    private final class Snapshot: Sendable {
        let account: AccountID
        let session: StoredSession
        let marker: any StoreVersion
        let mark: UInt64
        let readAt: Date
        /// From then on the record itself is looked at again: markers are hints.
        let trustedUntil: Date
        /// From then on the session is to be looked at for a refresh or its end.
        let lookAgainAt: Date

        init(_ session: StoredSession, _ sighting: Sighting, marker: any StoreVersion, lookAgainAt: Date) {
            account = sighting.account
            self.session = session
            self.marker = marker
            mark = sighting.mark
            readAt = sighting.readAt
            trustedUntil = readAt + 30
            self.lookAgainAt = lookAgainAt
        }

        /// Whether it is certain that this is still what the store holds. A clock that was set back makes every age
        /// unknown.
        func isCurrent(at now: Date) -> Bool {
            now >= readAt && now < trustedUntil && marker.value == mark
        }
    }

    /// What is known of a record from before it is read.
    struct Sighting: Sendable {
        let account: AccountID
        let marker: (any StoreVersion)?
        let mark: UInt64
        let readAt: Date

        init(of account: AccountID, in store: any TokenStore, at now: Date) {
            self.account = account
            marker = store.marker(for: .account(account))
            mark = marker?.value ?? 0
            readAt = now
        }
    }

    private struct State: Sendable {
        /// The account that was asked for last, as a rule the only one: finding it takes no hashing.
        var last: Snapshot?
        var snapshots: [AccountID: Snapshot] = [:]
        /// Until when a failed refresh is not tried again while the token works.
        var postponed: [AccountID: Date] = [:]
    }

    private let state = Locked(State())

    /// The session of `account`, when it is certain that it is still the stored one and needs no refresh.
    func freshSession(of account: AccountID, at now: Date) -> StoredSession? {
        guard let snapshot = snapshot(of: account), now < snapshot.lookAgainAt, snapshot.isCurrent(at: now) else {
            return nil
        }
        return snapshot.session
    }

    /// The session of `account`, when it is certain that it is still the stored one.
    func session(of account: AccountID, at now: Date) -> StoredSession? {
        guard let snapshot = snapshot(of: account), snapshot.isCurrent(at: now) else { return nil }
        return snapshot.session
    }

    private func snapshot(of account: AccountID) -> Snapshot? {
        state.withLock { state in
            if let last = state.last, last.account == account { return last }
            guard let snapshot = state.snapshots[account] else { return nil }
            state.last = snapshot
            return snapshot
        }
    }

    /// Remembers a session that was read after `sighting`.
    /// - Parameter lookAgainAt: when it is to be looked at again for a refresh or its end.
    func remember(_ session: StoredSession, _ sighting: Sighting, lookAgainAt: Date?) {
        guard let marker = sighting.marker, sighting.mark != 0 else { return }
        let account = sighting.account
        state.withLock { state in
            var lookAgainAt = lookAgainAt ?? .distantFuture
            if let postponed = state.postponed[account], let expiresAt = session.credential.expiresAt {
                let end = min(expiresAt, session.credential.sessionEndsAt ?? expiresAt)
                lookAgainAt = max(lookAgainAt, min(postponed, end))
            }
            let snapshot = Snapshot(session, sighting, marker: marker, lookAgainAt: lookAgainAt)
            state.snapshots[account] = snapshot
            state.last = snapshot
        }
    }

    func forget(_ account: AccountID) {
        state.withLock { state in
            if state.last?.account == account { state.last = nil }
            state.snapshots[account] = nil
            state.postponed[account] = nil
        }
    }

    func postpone(_ account: AccountID, until date: Date) {
        state.withLock { $0.postponed[account] = date }
    }

    /// Whether a refresh of `account` failed a short while ago.
    func isPostponed(_ account: AccountID, at now: Date) -> Bool {
        state.withLock { now < $0.postponed[account] ?? .distantPast }
    }
}
