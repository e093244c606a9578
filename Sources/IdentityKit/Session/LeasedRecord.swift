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

    private var key: StoreKey { .account(account) }

    /// How long a failed write is repeated before the caller gets a session that is not stored: as long as the lease
    /// lasts, and at least five seconds.
    private var timeToStore: Duration {
        max(.seconds(5), min((end ?? deadline).remaining, Deadline.ofRefresh))
    }

    /// Repeats the write until it succeeds, because the refresh token in the old content is spent.
    /// - Throws: the error of the last attempt; at once ``/IdentityCore/TokenStoreError/tooLarge(size:limit:)``, and
    ///   ``/IdentityCore/TokenStoreError/conflict(_:current:)`` when another writer has replaced the record.
    func store(_ attempt: inout WriteAttempt) async throws -> StoreRecord {
        let generation = attempt.generation
        var backoff = Backoff(deadline: timeToStore, first: .milliseconds(20), longest: .seconds(1))
        while true {
            do {
                return try await attempt.write()
            } catch let error where !error.isOvertaking(generation) {
                guard attempt.fits, let pause = backoff.next() else { throw error }
                try await deadline.time.sleep(for: pause)
            }
        }
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

/// The attempts to store one content. A failed attempt may have replaced the record, for example when only flushing the
/// folder failed.
struct WriteAttempt: Sendable {
    let record: LeasedRecord
    /// What is to be stored, unless it is larger than a record may be.
    private let content: Result<Data, any Error>
    private(set) var generation: UInt64
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

    /// Whether an attempt can succeed.
    var fits: Bool { (try? content.get()) != nil }

    /// The next attempt.
    mutating func write() async throws -> StoreRecord {
        do {
            return try await writeOnce()
        } catch TokenStoreError.conflict(let key, let current) where mayBeThere {
            guard let content = try? content.get(),
                let found = try await record.store.record(for: .account(record.account)), found.content == content
            else {
                throw TokenStoreError.conflict(key, current: current)
            }
            // An earlier attempt wrote this content. It is written again, because it may not have reached the disk.
            generation = found.generation
            return try await writeOnce()
        } catch {
            mayBeThere = true
            throw error
        }
    }

    private func writeOnce() async throws -> StoreRecord {
        guard case .success(let content) = content else { throw try await failure() }
        return try await action.whileWriting {
            try await record.write(content, replacing: generation, isLast: isLast)
        }
    }

    /// Why content that does not fit is not written. A sign-in or sign-out counts all the same.
    private func failure() async throws -> any Error {
        let key = StoreKey.account(record.account)
        let current = try await record.store.record(for: key)?.generation ?? 0
        guard current == generation, case .failure(let error) = content else {
            return TokenStoreError.conflict(key, current: current)
        }
        return error
    }
}

extension Error {
    /// Whether repeating a write that replaces `generation` is useless: the record has changed, or the task is cancelled.
    func isOvertaking(_ generation: UInt64) -> Bool {
        guard case .conflict(_, let current)? = self as? TokenStoreError else { return self is CancellationError }
        return current != generation
    }
}
