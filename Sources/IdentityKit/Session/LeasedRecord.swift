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
    /// - Throws: the error of the last attempt; ``/IdentityCore/TokenStoreError/conflict(_:current:)`` at once when another
    ///   writer has replaced the record.
    func store(_ attempt: inout WriteAttempt) async throws -> StoreRecord {
        let generation = attempt.generation
        var backoff = Backoff(deadline: timeToStore, first: .milliseconds(20), longest: .seconds(1))
        while true {
            do {
                return try await attempt.write()
            } catch let error where !error.isOvertaking(generation) {
                guard let pause = backoff.next() else { throw error }
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
    let content: Data
    private(set) var generation: UInt64
    private let action: SessionAction
    private let isLast: Bool
    private var mayBeThere = false

    /// - Parameters:
    ///   - record: the record.
    ///   - content: what is to be stored.
    ///   - generation: the generation that it replaces.
    ///   - action: what it means.
    ///   - isLast: whether the lease may end with it.
    init(
        _ record: LeasedRecord, _ content: Data, replacing generation: UInt64, as action: SessionAction, isLast: Bool
    ) {
        self.record = record
        self.content = content
        self.generation = generation
        self.action = action
        self.isLast = isLast
    }

    /// The next attempt.
    mutating func write() async throws -> StoreRecord {
        do {
            return try await writeOnce()
        } catch TokenStoreError.conflict(let key, let current) where mayBeThere {
            guard let found = try await record.store.record(for: .account(record.account)), found.content == content
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
        try await action.whileWriting {
            try await record.write(content, replacing: generation, isLast: isLast)
        }
    }
}

extension StoreLease {
    /// The result of `body`. The lease is released afterwards, unless `isKept` says that it is still needed.
    func releasing<Result: Sendable>(
        unless isKept: () -> Bool = { false }, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body()
            if !isKept() { await release() }
            return result
        } catch {
            if !isKept() { await release() }
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
