import Foundation

/// An account's record on which this process holds the lease. Only the holder of the lease refreshes the session.
struct LeasedRecord: Sendable {
    let account: AccountID
    let lease: any StoreLease
    /// When the lease may be taken over by others; `nil` when it lasts until it is released.
    let end: Deadline?
    let store: any TokenStore
    /// When the requests of this refresh must have ended; only a verification of the result may take longer.
    let deadline: Deadline

    fileprivate var key: StoreKey { .account(account) }

    /// How long a failed write is repeated before the caller gets an unstored session: as long as the lease lasts, but
    /// at least 5 and at most 30 seconds. A lease without an end counts as lasting until the deadline of the refresh.
    fileprivate var timeToStore: Duration {
        max(.seconds(5), min((end ?? deadline).remaining, Deadline.ofRefresh))
    }

    /// Writes `content`. If another process has taken the lease over without changing the record, writes once more with
    /// a new lease, unless some process still holds the lease.
    /// - Parameter isLast: whether the lease may end with this write.
    func write(_ content: Data, replacing generation: UInt64, isLast: Bool) async throws -> StoreRecord {
        do {
            return try await isLast
                ? lease.writeLast(content, replacing: generation) : lease.write(content, replacing: generation)
        } catch TokenStoreError.conflict(_, generation) {
            // The conflict names the generation that was to be replaced. Some other process has taken the lease over,
            // such as while this one was suspended, but has not changed the record. Therefore, write this result with a
            // new lease.
            guard let lease = try await store.lease(for: key) else {
                throw TokenStoreError.conflict(key, current: generation)
            }
            return try await lease.releasing { try await lease.writeLast(content, replacing: generation) }
        }
    }
}

/// The attempts to store one content in a leased record. A failed attempt may nevertheless have replaced the record,
/// for example when only flushing the folder failed.
struct WriteAttempt: Sendable {
    let record: LeasedRecord
    /// The content to store, or an error when it is too large for a record.
    private let content: Result<Data, any Error>
    private var generation: UInt64
    private let action: SessionAction
    private let isLast: Bool
    private var mayBeThere = false

    /// - Parameters:
    ///   - record: the leased record to write.
    ///   - session: the content to store.
    ///   - generation: the generation to replace.
    ///   - action: the meaning of the write for the audit trail.
    ///   - isLast: whether the lease may end with this write.
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

    /// Repeats the write until it succeeds or the time for storing is over, because the refresh token in the old
    /// content is spent.
    /// - Throws: the error of the last attempt. The write is not repeated after
    ///   ``/IdentityCore/TokenStoreError/tooLarge(size:limit:)``, `CancellationError`, and
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
                // Report a conflict if a sign-in or sign-out has replaced the record, because the conflict takes
                // precedence over this error.
                let current = try await record.store.record(for: record.key)?.generation ?? 0
                throw current == generation ? error : TokenStoreError.conflict(record.key, current: current)
            }
        } catch TokenStoreError.conflict(let key, let current) where mayBeThere {
            guard case .success(let content) = content, let found = try await record.store.record(for: key),
                found.content == content
            else { throw TokenStoreError.conflict(key, current: current) }
            // An earlier attempt has written this content. Write it again, because it may not have reached the disk.
            (generation, mayBeThere) = (found.generation, false)
            return try await write()
        } catch {
            mayBeThere = true
            throw error
        }
    }
}

extension Error {
    /// Whether repeating a write that replaces `generation` is pointless, because the record has changed or the task is
    /// cancelled.
    func isOvertaking(_ generation: UInt64) -> Bool {
        guard case .conflict(_, let current)? = self as? TokenStoreError else { return self is CancellationError }
        return current != generation
    }
}
