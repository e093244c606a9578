import Foundation

/// Keeps the key in a file of mode 0600, for machines without a keyring. A stolen copy of the store's folder cannot be
/// decrypted without the file, but programs of the same user can read the key.
public struct KeyFile: DataKeyHome {
    private let path: String

    /// Uses the key file at `path`, which need not exist yet. Choose a path outside of the store's folder.
    public init(path: String) {
        self.path = path
    }

    public var name: String { path }

    /// The first key in the file, which encrypts; `nil` when there is no file.
    /// - Throws: ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)`` when the file is unreadable or damaged,
    ///   ``/IdentityCore/TokenStoreError/insecure(path:detail:)`` when the file is open to other users.
    public func key(forStore storeID: String) throws -> DataKey? { try keys(forStore: storeID)?.current }

    /// The keys in the file, separated by white space, the current key first; `nil` when there is no file.
    /// - Throws: as ``key(forStore:)``.
    public func keys(forStore storeID: String) throws -> DataKeys? {
        guard let content = try PrivateFile.readIfPresent(path, orThrow: unavailable) else { return nil }
        return try keys(in: String(decoding: content, as: UTF8.self), of: "file")
    }

    /// Writes a file with a new key, unless there is a file already.
    /// - Returns: the key in the file.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or an error with the code `randomness_unavailable`.
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
