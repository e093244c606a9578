import Foundation

/// Keeps the key in a file of mode 0600, for machines without a keyring. A stolen copy of the store's folder cannot be
/// decrypted without the file, but programs of the same user can read the key.
package struct KeyFile: DataKeyHome {
    private let path: String

    /// Uses the key file at `path`, which need not exist yet. Choose a path outside of the store's folder.
    package init(path: String) {
        self.path = path
    }

    package var name: String { path }

    /// The keys in the file, separated by white space, the current key first; empty when there is no file.
    /// - Throws: ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)`` when the file is unreadable or damaged,
    ///   ``/IdentityCore/TokenStoreError/insecure(path:detail:)`` when the file is open to other users, or
    ///   is a symbolic link of another user who is not root.
    package func keys(forStore storeID: String) throws -> [DataKey] {
        let file = try target()
        guard let content = try PrivateFile.readIfPresent(file, orThrow: unavailable) else {
            // The target of a link existed a moment ago, so another program is replacing it.
            guard file == path else { throw unavailable("the file behind the symbolic link is being replaced") }
            return []
        }
        return try keys(in: String(decoding: content, as: UTF8.self), of: "file")
    }

    /// Path of the file behind a symbolic link of this user or of root, such as a secret that Kubernetes mounts; otherwise
    /// the path itself.
    private func target() throws -> String {
        do {
            return try StorePath.target(of: path)
        } catch .notWritable(_, let detail) {
            throw unavailable(detail)
        }
    }

    /// Writes a file with a new key, unless there is a file already.
    /// - Returns: the key in the file.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or an error with the code `randomness_unavailable`.
    package func makeKey(forStore storeID: String) async throws -> DataKey {
        let key = try DataKey()
        let folder = StorePath.folder(of: path)
        let isCreated = try SystemCallError.asWriteError(at: path) {
            try PrivateFile.createFolder(at: folder)
            return try TemporaryFile(in: folder).create(path, with: Data((key.text.reveal() + "\n").utf8))
        }
        if isCreated { return key }
        guard let existing = try keys(forStore: storeID).first else {
            throw unavailable("another process has removed the file")
        }
        return existing
    }
}

extension DataKey {
    /// A home in a file of mode 0600, for machines without a keyring. A stolen copy of the store cannot be decrypted without
    /// the file, but programs of the same user can read the key.
    ///
    /// The file has the base64 forms of one key or more, separated by white space. The first store that needs a key creates
    /// the file. A file that is open to other users, and a symbolic link of another user who is not root, are refused with
    /// ``/IdentityCore/TokenStoreError/insecure(path:detail:)``.
    /// - Parameter path: the path of the file, outside of the store's folder.
    public static func home(inFile path: String) -> any DataKeyHome { KeyFile(path: path) }
}
