import IdentityStoreFormat

extension StoreConfiguration {
    /// Damage of a file store that concerns all sessions. The store mends it from what is whole.
    package enum Damage: Sendable, Hashable {
        /// `store.json`, when the store is opened.
        case description(path: String)
        /// The record that identifies the store's key, when the key is used.
        case keyRecord(path: String)
    }

    /// Looks for damage. The store is not opened, so that nothing is written.
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
