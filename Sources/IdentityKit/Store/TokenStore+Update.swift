import Foundation

/// A decision about a record that was read.
package enum StoreUpdate: Sendable {
    case keep
    /// Replace the content; `nil` erases it.
    case replace(Data?)
}

extension TokenStore {
    /// Replaces the content under `key` as `decide` says. When another writer comes first, `decide` is called again with the
    /// new record.
    /// - Parameters:
    ///   - key: the name of the record.
    ///   - settingDamagedAside: whether a damaged record is moved to the quarantine first; otherwise it is an error.
    ///   - decide: decides about the record.
    /// - Returns: the record that the decision was made on.
    /// - Throws: ``TokenStoreError``, what `decide` throws, or `CancellationError` instead of calling it again.
    @discardableResult
    package func update(
        _ key: StoreKey, settingDamagedAside: Bool = false, _ decide: (StoreRecord?) throws -> StoreUpdate
    ) async throws -> StoreRecord? {
        while true {
            do {
                let record = try await record(for: key)
                guard case .replace(let content) = try decide(record) else { return record }
                try await write(content, for: key, replacing: record?.generation ?? 0)
                return record
            } catch TokenStoreError.conflict {
                try Task.checkCancellation()
            } catch TokenStoreError.corrupt where settingDamagedAside {
                _ = try await soundRecord(for: key)
            }
        }
    }

    /// The content under `key`, which is made when there is none. When several processes make one at the same time, all get
    /// the content of one of them.
    /// - Throws: ``TokenStoreError``, and what `make` throws.
    package func valueMadeOnce(for key: StoreKey, _ make: () throws -> Data) async throws -> Data {
        var made = Data()
        let record = try await update(key) { record in
            guard record?.content == nil else { return .keep }
            made = try make()
            return .replace(made)
        }
        return record?.content ?? made
    }

    /// The record under `key`. A damaged one is moved to the quarantine.
    /// - Throws: ``TokenStoreError``.
    func soundRecord(for key: StoreKey) async throws -> StoreRecord? {
        do {
            return try await record(for: key)
        } catch TokenStoreError.corrupt {
            try await quarantine(key)
            return try await record(for: key)
        }
    }
}
