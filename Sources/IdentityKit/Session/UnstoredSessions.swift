import Foundation

/// Refreshed sessions that could not be stored, such as on a disk that became full during the request. This process uses
/// them and repeats the write with the lease held, because the refresh token in the store is spent.
final class UnstoredSessions: Sendable {
    private let sessions = Locked<[AccountID: StoredSession]>([:])

    func holds(_ account: AccountID) -> Bool {
        sessions.withLock { $0[account] != nil }
    }

    /// The unstored successor of the session that is stored with `generation`.
    func session(_ account: AccountID, at generation: UInt64) -> StoredSession? {
        sessions.withLock { $0[account] }.flatMap { $0.generation == generation ? $0 : nil }
    }

    /// Uses `session` from now on and keeps trying to store it.
    /// - Parameters:
    ///   - session: the refreshed session.
    ///   - attempt: the attempts so far.
    ///   - monitor: waits for the write before the process ends.
    ///   - overtaken: called when a sign-out or sign-in came first.
    func keep(
        _ session: StoredSession, after attempt: WriteAttempt, monitor: RefreshMonitor,
        overtaken: @escaping @Sendable () async -> Void
    ) {
        let record = attempt.record
        sessions.withLock { $0[record.account] = session }
        monitor.extend(notStoring: record.account, since: record.deadline.time.mark)
        Task {
            var attempt = attempt
            var pause = Duration.milliseconds(250)
            var isStored = false
            while true {
                do {
                    try await record.deadline.time.sleep(for: pause)
                    _ = try await attempt.write()
                    isStored = true
                    break
                } catch let error where error.isOvertaking(session.generation) {
                    if !(error is CancellationError) { await overtaken() }
                    break
                } catch {
                    pause = min(pause * 2, .seconds(2))
                }
            }
            _ = sessions.withLock { $0.removeValue(forKey: record.account) }
            if isStored { monitor.report(.stored(record.account)) }
            await record.lease.release()
            monitor.finish(notStoring: record.account)
        }
    }
}
