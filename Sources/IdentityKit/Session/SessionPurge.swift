import Foundation

/// How far a purge has come.
public struct PurgeProgress: Sendable, Equatable, Codable {
    /// How many sessions were looked at.
    package var seen = 0
    /// How many of them were erased.
    package var purged = 0
    /// How many could not be read, and stay as they are.
    public var failures = 0
    /// How many erased records were removed for good, in a store that removes them.
    public var removed = 0
}

/// A store whose erased records can be removed for good.
package protocol RemovingTokenStore: TokenStore {
    /// Removes the records that were erased before `date`, with their names.
    /// - Returns: how many.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func removeRecords(erasedBefore date: Date) async throws -> Int

    /// Removes a record, whatever it holds, with its name.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func forget(_ key: StoreKey) async throws
}

extension TokenStore {
    /// Erases the sessions that nobody has used since `date`. Their tokens are not revoked at the backends.
    ///
    /// A session whose access token has expired is used by refreshing it. So one whose token has expired before `date` was
    /// not used since. One whose token does not expire is kept, because its use leaves no trace.
    /// - Parameters:
    ///   - date: the date; not in the future.
    ///   - report: called after each part.
    /// - Returns: what was done. It can be interrupted, and begins again where there is something left to do.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    @discardableResult
    public func purgeSessions(
        unusedSince date: Date, _ report: (PurgeProgress) -> Void = { _ in }
    ) async throws -> PurgeProgress {
        var progress = PurgeProgress()
        var position: String?
        repeat {
            try Task.checkCancellation()
            let page = try await page(of: .accounts, after: position, limit: 200)
            progress.failures += page.listing.failures.count
            for record in page.listing.records where record.content != nil {
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

    /// - Returns: whether the session was erased.
    private func purge(_ record: StoreRecord, unusedSince date: Date) async throws -> Bool {
        guard let session = try SessionRecord(record), session.wasUnused(since: date) else { return false }
        do {
            try await SessionAction.purge.whileWriting {
                _ = try await write(nil, for: record.key, replacing: record.generation)
            }
        } catch TokenStoreError.conflict {
            // Somebody uses it now.
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
