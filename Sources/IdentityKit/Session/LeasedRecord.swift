import Foundation

/// An account's record with the lease on it.
struct LeasedRecord: Sendable {
    let account: AccountID
    let lease: any StoreLease
    /// When the lease may be taken over; `nil` when it lasts until it is released.
    let end: Deadline?
    let store: any TokenStore
    /// When the requests of this refresh must be over.
    let deadline: Deadline

    fileprivate var key: StoreKey { .account(account) }

    /// How long a failed write is repeated before the caller gets a session that is not stored: as long as the lease
    /// lasts, and at least five seconds.
    fileprivate var timeToStore: Duration {
        max(.seconds(5), min((end ?? deadline).remaining, Deadline.ofRefresh))
    }

    /// Writes `content`, in one attempt.
    /// - Parameter isLast: whether the lease may end with it.
    func write(_ content: Data, replacing generation: UInt64, isLast: Bool) async throws -> StoreRecord {
        do {
            return try await isLast
                ? lease.writeLast(content, replacing: generation) : lease.write(content, replacing: generation)
        } catch TokenStoreError.conflict(_, generation) {
            // The record is unchanged, but another process took the lease over while this one was suspended. Once the
            // lease is free again, this result is still the only one.
            guard let lease = try await store.lease(for: key) else {
                throw TokenStoreError.conflict(key, current: generation)
            }
            return try await lease.releasing { try await lease.writeLast(content, replacing: generation) }
        }
    }
}

/// The attempts to store one content in a leased record. A failed attempt may have replaced the record, for example when only
/// flushing the folder failed.
struct WriteAttempt: Sendable {
    let record: LeasedRecord
    /// Content to be stored, unless it is larger than a record may be.
    private let content: Result<Data, any Error>
    private var generation: UInt64
    private let action: SessionAction
    private let isLast: Bool
    private var mayBeThere = false

    /// - Parameters:
    ///   - record: the record.
    ///   - session: what is to be stored.
    ///   - generation: the generation that it replaces.
    ///   - action: what it means.
    ///   - isLast: whether the lease may end with it.
    init(
        _ record: LeasedRecord, _ session: SessionRecord, replacing generation: UInt64, as action: SessionAction,
        isLast: Bool
    ) {
        self.record = record
        content = Result { try session.encoded() }
        self.generation = generation
        self.action = action
        self.isLast = isLast
    }

    /// Writes until that succeeds, because the refresh token in the old content is spent.
    /// - Throws: the error of the last attempt; at once ``/IdentityCore/TokenStoreError/tooLarge(size:limit:)``, and
    ///   ``/IdentityCore/TokenStoreError/conflict(_:current:)`` when another writer has replaced the record.
    mutating func store() async throws -> StoreRecord {
        let (replaced, isEncoded) = (generation, (try? content.get()) != nil)
        return try await Backoff.result(
            within: record.timeToStore, from: .milliseconds(20), to: .seconds(1),
            whereErrorPasses: { error, _ in isEncoded && !error.isOvertaking(replaced) },
            pausing: record.deadline.time.sleep(for:)
        ) { try await write() }
    }

    mutating func write() async throws -> StoreRecord {
        do {
            switch content {
            case .success(let content):
                return try await action.whileWriting { [record, generation, isLast] in
                    try await record.write(content, replacing: generation, isLast: isLast)
                }
            case .failure(let error):
                // A sign-in or sign-out counts all the same.
                let current = try await record.store.record(for: record.key)?.generation ?? 0
                throw current == generation ? error : TokenStoreError.conflict(record.key, current: current)
            }
        } catch TokenStoreError.conflict(let key, let current) where mayBeThere {
            guard case .success(let content) = content, let found = try await record.store.record(for: key),
                found.content == content
            else { throw TokenStoreError.conflict(key, current: current) }
            // An earlier attempt wrote this content. It is written again, because it may not have reached the disk.
            (generation, mayBeThere) = (found.generation, false)
            return try await write()
        } catch {
            mayBeThere = true
            throw error
        }
    }
}

extension Error {
    /// Whether repeating a write that replaces `generation` is useless: the record has changed, or the task is cancelled.
    func isOvertaking(_ generation: UInt64) -> Bool {
        guard case .conflict(_, let current)? = self as? TokenStoreError else { return self is CancellationError }
        return current != generation
    }
}
