import Foundation

/// Refreshed sessions that could not be stored, such as on a disk that became full during the request. The process uses
/// them and repeats the write while it holds the lease, because the refresh token in the store is spent.
final class UnstoredSessions: Sendable {
    private struct Kept: Sendable {
        let session: StoredSession
        let attempt: WriteAttempt
        let monitor: RefreshMonitor
        let overtaken: @Sendable () async -> Void
        /// The task that repeats the write; `nil` while a refresh uses the session (``lending(_:_:)``).
        var writing: Task<Void, Never>?

        var account: AccountID { attempt.record.account }
    }

    private let kept = Locked<[AccountID: Kept]>([:])

    func holds(_ account: AccountID) -> Bool {
        kept.withLock { $0[account] != nil }
    }

    /// Returns the refreshed session of `account` that is not stored yet, if it is to replace the record with `generation`;
    /// otherwise `nil`. An unstored session has the generation of the stored session that it replaces.
    func session(_ account: AccountID, at generation: UInt64) -> StoredSession? {
        kept.withLock { $0[account]?.session }.flatMap { $0.generation == generation ? $0 : nil }
    }

    /// Uses `session` from now on and keeps trying to store it.
    /// - Parameters:
    ///   - session: the refreshed session.
    ///   - attempt: the failed write, which is repeated until it succeeds or another writer has replaced the record.
    ///   - monitor: counts the refresh as running until the write has ended.
    ///   - overtaken: called when another writer, such as a sign-out or sign-in, has replaced the record.
    func keep(
        _ session: StoredSession, after attempt: WriteAttempt, monitor: RefreshMonitor,
        overtaken: @escaping @Sendable () async -> Void
    ) {
        let new = Kept(session: session, attempt: attempt, monitor: monitor, overtaken: overtaken)
        let former = kept.withLock { $0.updateValue(new, forKey: new.account) }
        if former == nil { monitor.extend(notStoring: new.account, since: attempt.record.deadline.time.mark) }
        write(new.account)
    }

    /// Runs `work` with the lease that is kept for the unstored session, so that `work` may refresh the session. The background
    /// task that writes the session stops meanwhile, and starts again afterwards if the session is still not stored.
    /// - Returns: the result of `work`; `nil` when the account has no unstored session, another task has borrowed it,
    ///   or it was stored meanwhile.
    func lending<Result>(
        _ account: AccountID, _ work: (any StoreLease) async throws -> Result
    ) async throws -> Result? {
        let writing = kept.withLock { kept in
            defer { kept[account]?.writing = nil }
            return kept[account]?.writing
        }
        guard let writing else { return nil }
        writing.cancel()
        await writing.value
        guard let lease = kept.withLock({ $0[account]?.attempt.record.lease }) else { return nil }
        defer { write(account) }
        return try await work(lease)
    }

    /// Drops an unstored session, because a successor is stored.
    func drop(_ account: AccountID) {
        guard let stored = kept.withLock({ $0.removeValue(forKey: account) }) else { return }
        stored.monitor.report(.stored(account))
        stored.monitor.finish(notStoring: account)
    }

    private func write(_ account: AccountID) {
        kept.withLock { kept in
            guard let session = kept[account], session.writing == nil else { return }
            kept[account]?.writing = Task { await self.write(session) }
        }
    }

    private func write(_ kept: Kept) async {
        var (attempt, pause) = (kept.attempt, Duration.milliseconds(250))
        var isStored = false
        while true {
            do {
                try await attempt.record.deadline.time.sleep(for: pause)
                _ = try await attempt.write()
                isStored = true
                break
            } catch is CancellationError {
                // If this task was cancelled, a refresh uses the session. Afterwards, `lending` starts a new task if
                // the session is still not stored.
                guard !Task.isCancelled else { return }
                pause = min(pause * 2, .seconds(2))
            } catch let error where error.isOvertaking(kept.session.generation) {
                await kept.overtaken()
                break
            } catch {
                pause = min(pause * 2, .seconds(2))
            }
        }
        _ = self.kept.withLock { $0.removeValue(forKey: kept.account) }
        if isStored { kept.monitor.report(.stored(kept.account)) }
        await attempt.record.lease.release()
        kept.monitor.finish(notStoring: kept.account)
    }
}
