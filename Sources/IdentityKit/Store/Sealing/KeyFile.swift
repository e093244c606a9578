import Foundation

/// Keeps the key in a file of mode 0600, for machines without a keyring. Protects a copy of the store's folder, but not
/// against programs of the same user.
public struct KeyFile: DataKeyHome {
    private let path: String

    /// The key file at `path`, which must lie outside the store's folder.
    public init(path: String) {
        self.path = path
    }

    public var name: String { path }

    /// The first key in the file, which is the one that encrypts.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the file is unreadable, damaged, or open to others.
    public func key(forStore storeID: String) throws -> DataKey? { try keys(forStore: storeID)?.current }

    /// The keys in the file, one per line.
    /// - Throws: as ``key(forStore:)``.
    public func keys(forStore storeID: String) throws -> DataKeys? {
        guard let content = try PrivateFile.readIfPresent(path, orThrow: unavailable) else { return nil }
        return try keys(in: String(decoding: content, as: UTF8.self), of: "file")
    }

    /// Writes a new key, unless there is one already.
    /// - Throws: ``/IdentityCore/TokenStoreError``, ``/IdentityCore/RandomnessError``.
    public func makeKey(forStore storeID: String) async throws -> DataKey {
        let key = try DataKey()
        let folder = StorePath.folder(of: path)
        let isCreated = try SystemCallError.asWriteError(at: path) {
            try PrivateFile.createFolder(at: folder)
            return try TemporaryFile(in: folder).create(path, with: Data((key.text.reveal() + "\n").utf8))
        }
        if isCreated { return key }
        guard let existing = try self.key(forStore: storeID) else {
            throw unavailable("another process has removed the file")
        }
        return existing
    }
}
