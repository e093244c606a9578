import Foundation

/// Renewed sessions that could not be stored: a disk that filled up after the request was sent. They are used by this
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

    /// Uses `session` from now on and keeps trying to store `content`.
    func keep(
        _ session: StoredSession, _ account: AccountID, _ content: Data, _ lease: any StoreLease,
        discarding discard: @escaping ProviderSessions.Discard, _ monitor: RenewalMonitor, _ time: TimeSource
    ) {
        sessions.withLock { $0[account] = session }
        // A process that is asked to end tries until its deadline.
        monitor.extend()
        Task {
            var pause = Duration.milliseconds(250)
            while true {
                do {
                    try await time.sleep(for: pause)
                    try await lease.write(content, replacing: session.generation)
                    monitor.report(.stored(account))
                    break
                } catch TokenStoreError.conflict {
                    // Signed out or in meanwhile.
                    await discard(session.credential)
                    break
                } catch is CancellationError {
                    break
                } catch {
                    pause = min(pause * 2, .seconds(30))
                }
            }
            _ = sessions.withLock { $0.removeValue(forKey: account) }
            await lease.release()
            monitor.finish()
        }
    }
}
