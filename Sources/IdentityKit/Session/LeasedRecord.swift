import Foundation

/// An account's record, and the right to spend what it holds.
struct LeasedRecord: Sendable {
    let account: AccountID
    let lease: any StoreLease
    let store: any TokenStore
    /// When the requests of this refresh must be over.
    let deadline: RefreshDeadline

    private var key: StoreKey { .account(account) }

    /// For how long a failed write is tried again before anybody gets what could not be stored: for as long as the lease
    /// lasts, and some seconds in any case.
    private var timeToStore: Duration {
        let left = lease.endsAt?.timeIntervalSince(deadline.time.now) ?? deadline.remaining.timeInterval
        return .seconds(max(5, min(left, RefreshDeadline.longest.timeInterval)))
    }

    /// Makes attempts until one succeeds: what the content replaces is spent.
    /// - Throws: what the last one throws; ``TokenStoreError/conflict(_:current:)`` at once when somebody else has
    ///   replaced the record.
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

    /// Makes `content` the record, once.
    func write(_ content: Data, replacing generation: UInt64) async throws -> StoreRecord {
        do {
            return try await lease.write(content, replacing: generation)
        } catch TokenStoreError.conflict(_, generation) {
            // Nobody has replaced the record, but somebody took the lease over while this process was away. Once it is
            // free again, this result is still the only one there is.
            guard let lease = try await store.lease(for: key) else {
                throw TokenStoreError.conflict(key, current: generation)
            }
            return try await lease.releasing { try await lease.write(content, replacing: generation) }
        }
    }

    /// The record as it is.
    fileprivate func current() async throws -> StoreRecord? {
        try await store.record(for: key)
    }
}

/// The attempts to store one content. One that failed may have replaced the record all the same, for example when only
/// the folder could not be flushed afterwards.
struct WriteAttempt: Sendable {
    let record: LeasedRecord
    let content: Data
    private(set) var generation: UInt64
    private var mayBeThere = false

    init(_ record: LeasedRecord, _ content: Data, replacing generation: UInt64) {
        self.record = record
        self.content = content
        self.generation = generation
    }

    /// The next attempt.
    mutating func write() async throws -> StoreRecord {
        do {
            return try await record.write(content, replacing: generation)
        } catch TokenStoreError.conflict(let key, let current) where mayBeThere {
            guard let found = try await record.current(), found.content == content else {
                throw TokenStoreError.conflict(key, current: current)
            }
            // It is the content of an earlier attempt. It is written anew, because it may not have reached the disk.
            generation = found.generation
            return try await record.write(content, replacing: generation)
        } catch {
            mayBeThere = true
            throw error
        }
    }
}

extension StoreLease {
    /// The result of `body`, with the lease given back afterwards.
    func releasing<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            await release()
            return result
        } catch {
            await release()
            throw error
        }
    }
}

extension Error {
    /// Whether somebody else has replaced the record of `generation`, so that trying again is of no use.
    func isOvertaking(_ generation: UInt64) -> Bool {
        guard case .conflict(_, let current)? = self as? TokenStoreError else { return self is CancellationError }
        return current != generation
    }
}
