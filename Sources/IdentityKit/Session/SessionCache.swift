import Foundation
import IdentityStoreFormat

/// Caches the sessions that this process has read. A session counts as current for half a minute, unless the marker of its
/// record changes before (``VersionStamp``). Getting a valid token then needs no read and no file lock.
final class SessionCache: Sendable {
    /// A session as it was read. A class, because every call for a token copies a reference to it.
    final class Snapshot: Sendable {
        let accessToken: Secret
        let scopes: Set<String>
        /// Tokens for resources, those with the fewest scopes first.
        fileprivate let tokens: [ReadyToken]
        fileprivate let end: Date?
        /// The whole session; `nil` while only the access token is needed, which saves memory in a service with many
        /// accounts.
        let session: StoredSession?
        let generation: UInt64
        /// The period in which the session has to be refreshed before use: from the expiry of the access token to the
        /// end of the session. `nil` when there is no such period.
        private let refreshDates: Range<Date>?
        private let stamp: VersionStamp
        /// Earliest time at which the token's dates are plausible. If the clock shows an earlier time, it was set back.
        private let believableFrom: Date
        /// When to check again whether the session has to be refreshed or has ended.
        private let lookAgainAt: Date

        fileprivate init(
            _ session: StoredSession, _ stamp: VersionStamp, _ schedule: RefreshSchedule, scopes: Set<String>,
            lookAgainAt: Date, isWhole: Bool
        ) {
            accessToken = session.credential.accessToken
            self.scopes = scopes
            let sorted = session.credential.allTokens.sorted { $0.isBetter(than: $1) }
            tokens = sorted.compactMap { ReadyToken($0, schedule) }
            end = session.credential.sessionEndsAt
            self.session = isWhole ? session : nil
            generation = session.generation
            refreshDates = session.credential.refreshDates
            believableFrom = session.credential.life.believableFrom
            self.stamp = stamp
            self.lookAgainAt = lookAgainAt
        }

        /// Whether the token can be used without a refresh. The rule is the same as for a session that was just read.
        fileprivate func needsNothing(at now: Date) -> Bool { believableFrom <= now && now < lookAgainAt }

        /// Whether the stored session counts as unchanged without being read again; see ``VersionStamp/isCurrent(at:)``.
        fileprivate func isCurrent(at now: Date) -> Bool { stamp.isCurrent(at: now) }

        /// Whether the token has expired, the session can be refreshed, and the marker of its record is unchanged.
        fileprivate func hasExpired(at now: Date) -> Bool {
            (refreshDates?.contains(now) ?? false) && stamp.isUnchanged
        }
    }

    private struct State: Sendable {
        /// The account that was looked up last, which is usually the only one. Finding it needs no hashing.
        var last: (account: AccountID, snapshot: Snapshot)?
        var snapshots: [AccountID: Snapshot] = [:]
        /// The periods in which a failed refresh is not repeated while the token is valid. Each period begins at the
        /// failure, so that it no longer applies after the clock was set back.
        var postponed: [AccountID: Range<Date>] = [:]
    }

    private let schedule: RefreshSchedule
    private let state = Locked(State())

    init(_ schedule: RefreshSchedule) {
        self.schedule = schedule
    }

    /// The cached session of `account`; `nil` unless it counts as current and needs no refresh.
    func fresh(_ account: AccountID, at now: Date) -> Snapshot? {
        guard let snapshot = snapshot(of: account), snapshot.needsNothing(at: now), snapshot.isCurrent(at: now) else {
            return nil
        }
        return snapshot
    }

    /// The cached token for `resource` with all of `scopes`; `nil` unless the session counts as current and the token
    /// needs no refresh.
    func fresh(_ account: AccountID, for resource: String, scopes: Set<String>, at now: Date) -> Secret? {
        guard let snapshot = snapshot(of: account), !snapshot.tokens.isEmpty, snapshot.isCurrent(at: now),
            snapshot.end.map({ now < $0 }) ?? true
        else { return nil }
        let best = snapshot.tokens.first { $0.serves(resource, scopes, at: now) }
        return best.flatMap { $0.needsNothing(at: now) ? $0.accessToken : nil }
    }

    /// The cached session of `account`; `nil` unless the access token has expired, the session can be refreshed, and
    /// the marker of its record is unchanged.
    func expired(_ account: AccountID, at now: Date) -> Snapshot? {
        snapshot(of: account).flatMap { $0.hasExpired(at: now) ? $0 : nil }
    }

    /// The whole cached session of `account`; `nil` unless it counts as current and was kept whole.
    func session(of account: AccountID, at now: Date) -> StoredSession? {
        guard let snapshot = snapshot(of: account), snapshot.isCurrent(at: now) else { return nil }
        return snapshot.session
    }

    private func snapshot(of account: AccountID) -> Snapshot? {
        state.withLock { state in
            if let last = state.last, last.account == account { return last.snapshot }
            guard let snapshot = state.snapshots[account] else { return nil }
            state.last = (account, snapshot)
            return snapshot
        }
    }

    /// Remembers the session of `account`.
    /// - Parameters:
    ///   - session: the session, as it was read from the store.
    ///   - stamp: the marker of the record, taken before the session was read; `nil` to remember nothing.
    ///   - lookAgainAt: when to check for a refresh or the end of the session; `nil` for never. After a failed refresh, the
    ///     check waits until the refresh may be repeated, the token expires or the session ends, whichever comes first.
    ///   - keepsWhole: whether more than the access token is needed. A session that is due for a refresh, or that was kept
    ///     whole before, is always kept whole.
    func remember(
        _ session: StoredSession, of account: AccountID, _ stamp: VersionStamp?, lookAgainAt: Date?, keepsWhole: Bool
    ) {
        guard let stamp else { return }
        state.withLock { state in
            var lookAgainAt = lookAgainAt ?? .distantFuture
            if let postponed = state.postponed[account], postponed.contains(stamp.takenAt),
                let expiresAt = session.credential.expiresAt
            {
                let end = min(expiresAt, session.credential.sessionEndsAt ?? expiresAt)
                lookAgainAt = max(lookAgainAt, min(postponed.upperBound, end))
            }
            let former = state.snapshots[account]
            let isWhole = keepsWhole || former?.session != nil || lookAgainAt <= stamp.takenAt
            // Share the set, because accounts of one provider usually have the same scopes.
            let shared = state.last.map(\.snapshot.scopes).flatMap { $0 == session.credential.scopes ? $0 : nil }
            let snapshot = Snapshot(
                session, stamp, schedule, scopes: shared ?? session.credential.scopes, lookAgainAt: lookAgainAt,
                isWhole: isWhole)
            state.snapshots[account] = snapshot
            state.last = (account, snapshot)
        }
    }

    func forget(_ account: AccountID) {
        state.withLock { state in
            if state.last?.account == account { state.last = nil }
            state.snapshots[account] = nil
            state.postponed[account] = nil
        }
    }

    func postpone(_ account: AccountID, for pause: TimeInterval, from now: Date) {
        state.withLock { $0.postponed[account] = now..<(now + pause) }
    }

    /// Lets a postponed refresh (``postpone(_:for:from:)``) take place at once, after a successful refresh of `account` or at a
    /// person's request.
    func resume(_ account: AccountID) {
        state.withLock { state in
            if !state.postponed.isEmpty { state.postponed[account] = nil }
        }
    }

    /// Whether a refresh of `account` failed and must not be repeated yet.
    func isPostponed(_ account: AccountID, at now: Date) -> Bool {
        state.withLock { $0.postponed[account]?.contains(now) ?? false }
    }
}

/// A token for a resource, with dates that are calculated once. A class, because every call for the token copies the
/// reference.
private final class ReadyToken: Sendable {
    let accessToken: Secret
    private let resource: String
    private let scopes: Set<String>
    private let expiresAt: Date
    private let believableFrom: Date
    private let refreshAt: Date

    /// Prepares a token; `nil` for one that must not be handed out, because its audience is not known yet.
    init?(_ token: ResourceToken, _ schedule: RefreshSchedule) {
        guard let key = token.key, !token.isUnproven else { return nil }
        let life = token.life
        (accessToken, resource, scopes) = (token.accessToken, key.resource, token.scopes)
        expiresAt = life.expiresAt ?? .distantFuture
        believableFrom = life.believableFrom
        refreshAt = life.earlyDate(jitter: schedule.jitter) ?? .distantFuture
    }

    func serves(_ resource: String, _ scopes: Set<String>, at now: Date) -> Bool {
        self.resource == resource && now < expiresAt && GrantedScopes.suffice(self.scopes, for: scopes)
    }

    func needsNothing(at now: Date) -> Bool { believableFrom <= now && now < refreshAt }
}

extension Credential {
    /// The period from the expiry of the access token to the end of the session; `nil` without a refresh token, when
    /// the expiry is unknown, and when the session ends first.
    fileprivate var refreshDates: Range<Date>? {
        guard refreshToken != nil, let expiresAt else { return nil }
        let end = sessionEndsAt ?? .distantFuture
        return expiresAt < end ? expiresAt..<end : nil
    }
}
