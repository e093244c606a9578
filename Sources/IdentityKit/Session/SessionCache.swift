import Foundation

/// The sessions that this process has read, for as long as the store's markers do not change. Getting a valid token then
/// needs no read and no file lock.
final class SessionCache: Sendable {
    /// A session as it was read. It is a reference because every call for a token copies it.
    private final class Snapshot: Sendable {
        let account: AccountID
        let session: StoredSession
        let marker: any StoreVersion
        let mark: UInt64
        let readAt: Date
        /// When the record is read again even if the marker is the same, because markers are hints.
        let trustedUntil: Date
        /// When to check whether the session has to be refreshed or has ended.
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

        /// Whether the store certainly still holds this session. It is uncertain after the clock was set back.
        func isCurrent(at now: Date) -> Bool {
            now >= readAt && now < trustedUntil && marker.value == mark
        }
    }

    /// The marker of a record before it is read.
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
        /// The account that was looked up last, as a rule the only one. Finding it needs no hashing.
        var last: Snapshot?
        var snapshots: [AccountID: Snapshot] = [:]
        /// Until when a failed refresh is not repeated while the token is valid.
        var postponed: [AccountID: Date] = [:]
    }

    private let state = Locked(State())

    /// The session of `account`, when it certainly is still the stored one and needs no refresh.
    func freshSession(of account: AccountID, at now: Date) -> StoredSession? {
        guard let snapshot = snapshot(of: account), now < snapshot.lookAgainAt, snapshot.isCurrent(at: now) else {
            return nil
        }
        return snapshot.session
    }

    /// The session of `account`, when it certainly is still the stored one.
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
    /// - Parameter lookAgainAt: when to check for a refresh or its end; `nil` for never.
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
