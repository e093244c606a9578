import Foundation

/// Keeps the key in a file of mode 0600, for machines without a keyring. It guards against a copied store folder, not
/// against programs of the same user.
public struct KeyFile: DataKeyHome {
    private let path: String

    /// The key file at `path`, which must lie outside the store's folder.
    public init(path: String) {
        self.path = path
    }

    /// The file's path.
    public var name: String { path }

    /// The key in the file.
    /// - Throws: ``TokenStoreError`` when the file is unreadable, damaged, or open to others.
    public func key(forStore storeID: String) throws -> DataKey? {
        do {
            let text = String(decoding: try PrivateFile.read(path), as: UTF8.self)
            guard let key = DataKey(text: Secret(text)) else {
                throw TokenStoreError.keyUnavailable(home: path, detail: "the file does not hold a key")
            }
            return key
        } catch let failure as SystemCallError {
            if failure.isMissingFile { return nil }
            throw TokenStoreError.keyUnavailable(home: path, detail: failure.detail)
        }
    }

    /// Writes a new key, unless there is one already.
    /// - Throws: ``TokenStoreError``, ``RandomnessError``.
    public func makeKey(forStore storeID: String) async throws -> DataKey {
        let key = try DataKey()
        let folder = StorePath.folder(of: path)
        do {
            try PrivateFile.createFolder(at: folder)
            if try DraftFile(in: folder).create(path, with: Data((key.text.reveal() + "\n").utf8)) { return key }
        } catch let failure as SystemCallError {
            throw failure.writeError(at: path)
        }
        guard let existing = try self.key(forStore: storeID) else {
            throw TokenStoreError.keyUnavailable(home: path, detail: "the file came and went")
        }
        return existing
    }
}
