import Foundation

/// A decision about a record that was read.
package enum StoreUpdate: Sendable {
    case keep
    /// Replace the content; `nil` erases it.
    case replace(Data?)
}

extension TokenStore {
    /// Replaces the content under `key` as `decide` says. When another writer replaces the record first, `decide` is
    /// called again with the new one.
    /// - Parameters:
    ///   - key: the name of the record.
    ///   - settingDamagedAside: whether a damaged record is moved to the quarantine first; otherwise it is an error.
    ///   - decide: decides about the record.
    /// - Returns: the record on which `decide` made its last decision.
    /// - Throws: ``TokenStoreError``, what `decide` throws, or `CancellationError` in place of a further call.
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
                // Try only once: a store that cannot set records aside would be asked without end.
                mayBeDamaged = false
                try await quarantine(key)
            }
        }
    }

    /// The content under `key`, which `make` creates when there is none or it is damaged. When several processes create
    /// it at the same time, all get the content of the same one.
    /// - Throws: ``TokenStoreError``, and what `make` throws.
    package func valueMadeOnce(for key: StoreKey, _ make: () throws -> Data) async throws -> Data {
        var made = Data()
        let record = try await update(key, settingDamagedAside: true) { record in
            guard record?.content == nil else { return .keep }
            made = try make()
            return .replace(made)
        }
        return record?.content ?? made
    }

    /// The content under `key`, which `make` requests when there is no usable one. However many tasks and processes
    /// ask, one of them makes the request; when it fails, the next one tries.
    /// - Parameters:
    ///   - time: the clock of the pauses between attempts.
    ///   - isUsable: whether the content can be used.
    ///   - make: requests new content, given the former one, while the lease on the record is held.
    /// - Throws: ``TokenStoreError``, also when another process takes longer than a minute, and what `make` throws.
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

    /// The record under `key`. A damaged one is moved to the quarantine.
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
    /// Runs `body` and releases the lease afterwards, also when `body` throws. `isKept` is asked after `body`; `true` leaves
    /// the lease to the caller.
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
