import Foundation

/// A decision of the caller of ``TokenStore/update(_:settingDamagedAside:_:)`` about the record that was read.
package enum StoreUpdate: Sendable {
    case keep
    /// Replace the content; `nil` erases it.
    case replace(Data?)
}

extension TokenStore {
    /// Replaces or keeps the content under `key`, as `decide` chooses. When another writer replaces the record first,
    /// the method reads the new record and calls `decide` again.
    /// - Parameters:
    ///   - key: the collection and the name of the record.
    ///   - settingDamagedAside: whether to move a damaged record to the quarantine and try again; `false` throws the
    ///     error.
    ///   - decide: receives the record, or `nil` if it was never written, and returns the decision.
    /// - Returns: the record that `decide` received last, as it was before the write.
    /// - Throws: ``TokenStoreError``, what `decide` throws, or, after a conflict, `CancellationError` if the task is
    ///   cancelled.
    @discardableResult
    package func update(
        _ key: StoreKey, settingDamagedAside: Bool = false, _ decide: (StoreRecord?) throws -> StoreUpdate
    ) async throws -> StoreRecord? {
        var mayBeDamaged = settingDamagedAside
        while true {
            do {
                let record = try await record(for: key)
                guard case .replace(let content) = try decide(record) else { return record }
                try await write(content, for: key, replacing: record?.generation ?? 0)
                return record
            } catch TokenStoreError.conflict {
                try Task.checkCancellation()
            } catch let error as TokenStoreError where mayBeDamaged && error.isAboutContent {
                // Try only once, because a store that cannot set records aside would return the same error without end.
                mayBeDamaged = false
                try await quarantine(key)
            }
        }
    }

    /// Returns the content under `key`. If there is none, or it is damaged, `make` creates it. When several processes
    /// create content at the same time, all of them get the content that was written first.
    /// - Throws: ``TokenStoreError``, what `make` throws, or, after a conflict, `CancellationError` if the task is
    ///   cancelled.
    package func valueMadeOnce(for key: StoreKey, _ make: () throws -> Data) async throws -> Data {
        var made = Data()
        let record = try await update(key, settingDamagedAside: true) { record in
            guard record?.content == nil else { return .keep }
            made = try make()
            return .replace(made)
        }
        return record?.content ?? made
    }

    /// Returns the content under `key`. If there is no usable content, `make` requests it. However many tasks and
    /// processes call the method, only one of them runs `make` at a time. When `make` fails, its caller gets the error,
    /// and the next caller tries.
    /// - Parameters:
    ///   - time: the clock that measures the pauses between attempts.
    ///   - isUsable: whether the content can be used, for example because it has not expired.
    ///   - make: requests new content while this caller holds the lease on the record. Its argument is the former
    ///     content.
    /// - Throws: ``TokenStoreError``, such as ``TokenStoreError/busy(path:)`` after a minute of pauses while another
    ///   caller held the lease; what `make` throws; or `CancellationError`.
    package func valueRequestedOnce(
        for key: StoreKey, time: TimeSource, where isUsable: (Data) -> Bool, _ make: (Data?) async throws -> Data
    ) async throws -> Data {
        try await Backoff.result(
            within: .seconds(60), from: .milliseconds(10), to: .milliseconds(200),
            orThrow: TokenStoreError.busy(path: key.name), pausing: time.sleep(for:)
        ) {
            if let content = try await soundRecord(for: key)?.content, isUsable(content) { return content }
            guard let lease = try await lease(for: key) else { return nil }
            return try await lease.releasing {
                let record = try await record(for: key)
                if let content = record?.content, isUsable(content) { return content }
                let made = try await make(record?.content)
                try await lease.write(made, replacing: record?.generation ?? 0)
                return made
            }
        }
    }

    /// Returns the record under `key`. If the record is corrupt, moves it to the quarantine first.
    /// - Throws: ``TokenStoreError``.
    package func soundRecord(for key: StoreKey) async throws -> StoreRecord? {
        do {
            return try await record(for: key)
        } catch TokenStoreError.corrupt {
            try await quarantine(key)
            return try await record(for: key)
        }
    }
}

extension StoreLease {
    /// Runs `body`, and then releases the lease, even when `body` throws. If `isKept` returns `true` after `body`, the
    /// lease stays with the caller.
    /// - Throws: what `body` throws.
    package func releasing<Result: Sendable>(
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
