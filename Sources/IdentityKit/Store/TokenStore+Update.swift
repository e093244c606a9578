import Foundation

/// What is to become of a record that was read.
package enum StoreUpdate: Sendable {
    /// It stays as it is.
    case keep
    /// It gets this content; `nil` erases it.
    case replace(Data?)
}

extension TokenStore {
    /// Replaces the content under `key` by what `decide` makes of the record. When somebody else was faster, `decide` is
    /// asked anew about what they wrote.
    /// - Parameters:
    ///   - key: where the record is.
    ///   - settingDamagedAside: whether a record that is damaged is put into quarantine first; otherwise it is an error.
    ///   - decide: what to do about the record.
    /// - Returns: the record that the decision was made on.
    /// - Throws: ``TokenStoreError``, what `decide` throws, or `CancellationError` when it is to be asked anew.
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

    /// The content under `key`, which is made when there is none. Of several processes that make one at the same time, one
    /// wins, and all get its content.
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

    /// The record under `key`. One that is damaged is put into quarantine.
    /// - Throws: ``TokenStoreError``, also when it is damaged still.
    func soundRecord(for key: StoreKey) async throws -> StoreRecord? {
        do {
            return try await record(for: key)
        } catch TokenStoreError.corrupt {
            try await quarantine(key)
            return try await record(for: key)
        }
    }
}
