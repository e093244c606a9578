import Foundation
import IdentityStoreFormat

/// Reads the record files of a store. No lock is needed, because files are replaced atomically.
struct RecordReader: Sendable {
    let folder: StoreFolder

    /// The file of the record under `key`; `nil` when the record was never written.
    /// - Throws: ``/IdentityCore/TokenStoreError``, also when the store's folder is missing.
    func file(for key: StoreKey) throws(TokenStoreError) -> RecordFile? {
        let path = folder.record(key)
        guard let file = try file(at: path) else { return nil }
        guard file.record.key == key else {
            throw .corrupt(path: path, detail: "it holds the record of something else")
        }
        return file
    }

    func listing(of collection: StoreKey.Collection) throws(TokenStoreError) -> StoreListing {
        listing(of: collection, hashes: try hashes(in: collection))
    }

    private func listing(of collection: StoreKey.Collection, hashes: some Sequence<String>) -> StoreListing {
        var listing = StoreListing()
        for hash in hashes {
            do throws(TokenStoreError) {
                if let record = try record(withHash: hash, in: collection) { listing.records.append(record) }
            } catch {
                listing.failures.append(error)
            }
        }
        return listing
    }

    /// A page of a collection, in the order of the hashed names: at most `limit` records that come after `position`.
    func page(
        of collection: StoreKey.Collection, after position: String?, limit: Int
    ) throws(TokenStoreError) -> StoreListing {
        // Read one hash more than `limit`, to find out whether another page follows.
        let hashes = try hashes(in: collection, after: position, limit: limit + 1)
        var listing = listing(of: collection, hashes: hashes.prefix(limit))
        if hashes.count > limit { listing.next = hashes[limit - 1] }
        return listing
    }

    /// The hashed names of a collection's records, in the order of their bytes: at most `limit` that come after
    /// `position`.
    func hashes(
        in collection: StoreKey.Collection, after position: String? = nil, limit: Int = .max
    ) throws(TokenStoreError) -> [String] {
        let path = folder.collection(collection)
        do throws(SystemCallError) {
            return try FolderContent.names(in: path, endingWith: RecordPath.suffix, after: position, limit: limit)
        } catch {
            guard error.isMissingFile else { throw .unreadable(path: path, detail: error.detail) }
            try confirmAbsence(at: path)
            return []
        }
    }

    func record(
        withHash hash: String, in collection: StoreKey.Collection
    ) throws(TokenStoreError) -> StoreRecord? {
        let path = "\(folder.collection(collection))/\(hash)\(RecordPath.suffix)"
        guard let record = try file(at: path)?.record else { return nil }
        guard record.key.collection == collection, StoreFolder.hash(of: record.key) == hash else {
            throw .corrupt(path: path, detail: "it holds the record of something else")
        }
        return record
    }

    /// Checks that the store exists, so that the missing file at `path` means a record that was never written. Without this
    /// check, a user would seem to be signed out while the disk of the store is not mounted.
    private func confirmAbsence(at path: String) throws(TokenStoreError) {
        guard !folder.exists else { return }
        throw .unreadable(path: path, detail: "the store's folder was removed or is not mounted")
    }

    private func file(at path: String) throws(TokenStoreError) -> RecordFile? {
        do {
            let content = try PrivateFile.readIfPresent(path) { TokenStoreError.unreadable(path: path, detail: $0) }
            if let content { return try RecordFile(content, path: path) }
            try confirmAbsence(at: path)
            return nil
        } catch {
            throw error as? TokenStoreError ?? .unreadable(path: path, detail: error.localizedDescription)
        }
    }
}
