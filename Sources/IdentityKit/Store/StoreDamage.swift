import IdentityStoreFormat

extension StoreConfiguration {
    /// Damage of a file store that concerns all sessions. The store repairs it from intact data.
    package enum Damage: Sendable, Hashable {
        /// The file `store.json` is damaged or missing, but its copy is intact. The file is restored from the copy when the
        /// store is opened.
        case description(path: String)
        /// The record that identifies the store's key is damaged. When a process first reads the key, the record is
        /// written again. If the key is missing, or if it decrypts none of the encrypted records, the store throws an
        /// error.
        case keyRecord(path: String)
    }

    /// Looks for damage without opening the store, so that nothing is written. The result is empty unless the store is
    /// a file store.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func damage(in context: StoreContext = StoreContext()) throws -> [Damage] {
        guard let folder = try place(in: context)?.folder else { return [] }
        var damage: [Damage] = []
        if try StoreDescription.isMendable(in: folder) {
            damage.append(.description(path: "\(folder)/\(StoreTitle.file)"))
        }
        let key = SealedTokenStore.keyRecord
        let path = "\(folder)/\(RecordPath.path(collection: key.collection.rawValue, name: key.name))"
        let content = try PrivateFile.readIfPresent(path) { TokenStoreError.unreadable(path: path, detail: $0) }
        do {
            if let content { _ = try RecordFile(content, path: path) }
        } catch .corrupt {
            damage.append(.keyRecord(path: path))
        }
        return damage
    }
}
