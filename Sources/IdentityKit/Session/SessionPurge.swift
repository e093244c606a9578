import Foundation

/// Counts of a purge of unused sessions, so far or at its end.
package struct PurgeProgress: Sendable, Equatable, Codable {
    /// Number of sessions that were examined, including ended ones.
    package var seen = 0
    /// Number of sessions that were erased: those that nobody had used since the date, and ended ones that began before it.
    package var purged = 0
    /// Number of sessions that could not be read and were left unchanged.
    package var failures = 0
    /// Number of erased records that were removed completely, at the end of the purge; zero in a store that keeps erased
    /// records.
    package var removed = 0
}

/// A store that can remove erased records completely.
package protocol RemovingTokenStore: TokenStore {
    /// Removes the records that were erased before `date`, with their names.
    /// - Returns: the number of removed records.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    func removeRecords(erasedBefore date: Date) async throws -> Int

    /// Removes a record completely, including its name, whatever it contains.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func forget(_ key: StoreKey) async throws
}

extension TokenStore {
    /// Erases the sessions that nobody has used since `date`. Their tokens are not revoked at the backends.
    ///
    /// Using a session with an expired access token refreshes it. A session whose access tokens all expired before `date`
    /// was therefore not used since. A session whose own token does not expire is kept, because using it leaves no trace.
    /// The record of an ended session is erased if its sign-in was before `date`. A record that cannot be read is kept, and
    /// ``IdentityClient/accounts(after:limit:)`` lists its error. An interrupted purge can be started again.
    /// - Parameter date: a date in the past; a date in the future would also erase sessions in use.
    /// - Returns: the number of erased sessions, including ended ones.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    @discardableResult
    public func purgeSessions(unusedSince date: Date) async throws -> Int { try await purge(unusedSince: date).purged }

    /// Erases sessions as ``purgeSessions(unusedSince:)`` does.
    /// - Parameters:
    ///   - date: a date in the past.
    ///   - report: called with the progress after each page of at most 200 records.
    /// - Returns: the final progress.
    /// - Throws: as ``purgeSessions(unusedSince:)``.
    package func purge(
        unusedSince date: Date, _ report: (PurgeProgress) -> Void = { _ in }
    ) async throws -> PurgeProgress {
        var progress = PurgeProgress()
        var position: String?
        repeat {
            try Task.checkCancellation()
            let page = try await page(of: .accounts, after: position, limit: 200)
            progress.failures += page.failures.count
            for record in page.records where record.content != nil {
                progress.seen += 1
                do {
                    if try await purge(record, unusedSince: date) { progress.purged += 1 }
                } catch TokenStoreError.corrupt {
                    progress.failures += 1
                }
            }
            position = page.next
            report(progress)
        } while position != nil
        if let store = layer((any RemovingTokenStore).self) {
            progress.removed = try await store.removeRecords(erasedBefore: date)
        }
        return progress
    }

    /// Erases the session in `record`, and the notes of its refreshes (``RefreshIntent``), if nobody has used the session
    /// since `date`.
    /// - Returns: whether the session was erased.
    private func purge(_ record: StoreRecord, unusedSince date: Date) async throws -> Bool {
        guard let session = try SessionRecord(record), session.wasUnused(since: date) else { return false }
        do {
            try await SessionAction.purge.whileWriting {
                _ = try await write(nil, for: record.key, replacing: record.generation)
            }
        } catch TokenStoreError.conflict {
            // The record has changed since it was listed, so the session is in use.
            return false
        }
        if let account = AccountID(id: record.key.name) { await eraseNotes(of: account, session.credential) }
        return true
    }
}

extension SessionRecord {
    fileprivate func wasUnused(since date: Date) -> Bool {
        switch self {
        case .live(let credential):
            credential.expiresAt.map { max($0, credential.lastUseOfResource) < date } ?? false
        case .ended(let session): session.signedInAt < date
        }
    }
}
