import Foundation

/// Refreshed sessions that could not be stored: a disk that filled up after the request was sent. They are used by this
/// process and offered to the store until it takes them, with the lease held, because what the store has is spent.
final class UnstoredSessions: Sendable {
    private let sessions = Locked<[AccountID: StoredSession]>([:])

    func holds(_ account: AccountID) -> Bool {
        sessions.withLock { $0[account] != nil }
    }

    /// The unstored successor of the session that is stored with `generation`.
    func session(_ account: AccountID, at generation: UInt64) -> StoredSession? {
        sessions.withLock { sessions in
            guard let session = sessions[account], session.generation == generation else { return nil }
            return session
        }
    }

    /// Uses `session` from now on and keeps trying to store it.
    /// - Parameters:
    ///   - attempt: the attempts so far.
    ///   - overtaken: is told that somebody signed out or in meanwhile.
    func keep(
        _ session: StoredSession, after attempt: WriteAttempt, monitor: RefreshMonitor,
        overtaken: @escaping @Sendable () async -> Void
    ) {
        let record = attempt.record
        sessions.withLock { $0[record.account] = session }
        // A process that is asked to end tries until its deadline.
        monitor.extend(notStoring: record.account)
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
                    pause = min(pause * 2, .seconds(30))
                }
            }
            _ = sessions.withLock { $0.removeValue(forKey: record.account) }
            if isStored { monitor.report(.stored(record.account)) }
            await record.lease.release()
            monitor.finish(notStoring: record.account)
        }
    }
}
