import Foundation
import IdentityStoreFormat

/// A store that can replace the encrypted content of a record and keep its generation, because the decrypted content stays
/// the same.
package protocol ResealableTokenStore: TokenStore {
    /// The collections that have records, without the quarantine.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func collections() async throws -> [StoreKey.Collection]

    /// Replaces `content` with `resealed`, and keeps the generation of the record.
    /// - Returns: `false`, without a write, when the record does not have `generation` and `content` any more.
    /// - Throws: ``/IdentityCore/TokenStoreError``; `CancellationError` when the task is cancelled while it waits.
    func replace(
        _ content: Data, of key: StoreKey, at generation: UInt64, with resealed: Data
    ) async throws -> Bool
}

/// Progress of encrypting a store's records with a new key.
package struct RekeyingProgress: Sendable, Equatable, Codable {
    /// Number of readable records that were examined, including erased ones.
    package var seen = 0
    /// Number of records that were encrypted again, with the current key instead of another one.
    package var resealed = 0
    /// Number of records that could not be read or decrypted, and were not changed.
    package var failures = 0
}

extension SealedTokenStore {
    /// Decrypts the records that are encrypted with another key, and encrypts them with the current key. Other programs can
    /// use the store meanwhile. An interrupted run can be started again.
    /// - Parameter tell: called with the progress after each page of at most 200 records.
    /// - Returns: the final progress. If there are failures, the other keys are still needed.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as ``/IdentityCore/TokenStoreError/unsupported(detail:)`` when
    ///   ``wrapped`` is not a ``ResealableTokenStore``; `CancellationError` when the task is cancelled; also the errors
    ///   of `DataKeyHome.makeKey(forStore:)` if the store has no key yet.
    @discardableResult
    package func rekey(_ tell: (RekeyingProgress) -> Void = { _ in }) async throws -> RekeyingProgress {
        guard let store = wrapped as? any ResealableTokenStore else {
            throw TokenStoreError.unsupported(detail: "this kind of store cannot be sealed anew")
        }
        let keys = try await readKeysAgain()
        var progress = RekeyingProgress()
        for collection in try await store.collections() {
            var position: String?
            repeat {
                try Task.checkCancellation()
                let page = try await store.page(of: collection, after: position, limit: 200)
                for record in page.records {
                    try await reseal(record, with: keys, in: store, &progress)
                }
                progress.failures += page.failures.count
                position = page.next
                tell(progress)
            } while position != nil
        }
        if progress.failures == 0 { try await noteCurrentKey(of: keys) }
        return progress
    }

    private func reseal(
        _ record: StoreRecord, with keys: DataKeys, in store: any ResealableTokenStore,
        _ progress: inout RekeyingProgress
    ) async throws {
        progress.seen += 1
        guard let sealed = record.content, RecordSeal.isSealed(sealed), !keys.current.hasSealed(sealed) else { return }
        let place = Self.place(of: record.key, generation: record.generation)
        guard let content = try? keys.open(sealed, at: place) else {
            progress.failures += 1
            return
        }
        // If another writer changes the record meanwhile, examine it again: that writer may still use a former key.
        let resealed = try keys.current.seal(content, at: place)
        if try await store.replace(sealed, of: record.key, at: record.generation, with: resealed) {
            progress.resealed += 1
        } else if let newer = try await store.record(for: record.key), newer.generation != record.generation {
            progress.seen -= 1
            try await reseal(newer, with: keys, in: store, &progress)
        }
    }
}
