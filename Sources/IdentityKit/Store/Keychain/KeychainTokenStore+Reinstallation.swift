import Foundation

extension StoreConfiguration {
    /// Empties a store in the Keychain after a reinstallation of the app. When an app is removed, the system deletes its
    /// files and user defaults, but not its Keychain items. Without this call, a person who installs the app again would be
    /// signed in as the former user.
    ///
    /// The first call writes a random mark to the Keychain and to the user defaults, and removes nothing. If a later call
    /// does not find the Keychain's mark in the user defaults, another installation wrote the store, and all of its records
    /// are removed. Call this method when the app starts, before the store is opened. For a store outside the Keychain, it
    /// does nothing.
    /// - Parameter defaults: the app's own user defaults; for a store that is shared with extensions, those of the app
    ///   group.
    /// - Returns: whether the store was emptied.
    /// - Throws: as ``open(time:)``. Before the first unlock, when user defaults may look empty too, the error is
    ///   ``/IdentityCore/TokenStoreError/locked(detail:)``, and nothing was removed.
    @discardableResult
    public func beginAnewAfterReinstallation(markedIn defaults: UserDefaults = .standard) throws -> Bool {
        guard type == KeychainStorePlugin.type, let store = try open() as? KeychainTokenStore else { return false }
        return try store.beginAnewAfterReinstallation(markedIn: defaults)
    }
}

extension KeychainTokenStore {
    /// Empties the store as the method with the same name of ``StoreConfiguration`` does.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func beginAnewAfterReinstallation(markedIn defaults: UserDefaults) throws -> Bool {
        let name = KeychainName(service: "\(service).installation", account: "mark")
        let key = "swift-identity.installation.\(service)"
        let item = try vault.item(name)
        func candidateKey(_ mark: Data) -> String { "\(key).\(String(decoding: mark, as: UTF8.self))" }
        // Read the defaults after the Keychain: they may have looked empty until just now, when the device was unlocked.
        // Another process that completes its mark sets `key` first and then removes its candidate, so read `key` last.
        let isCandidate = item.map { defaults.object(forKey: candidateKey($0.value)) != nil } ?? false
        let known = defaults.data(forKey: key)
        guard let item else {
            let mark = known ?? Data(UUID().uuidString.utf8)
            // The Keychain is written after the defaults: a mark that is only there would make the next start remove all
            // records. Until then, the mark has a key of its own, because an extension of the app may add another one.
            defaults.set(true, forKey: candidateKey(mark))
            let isAdded = try vault.add(KeychainItem(tag: Data(), value: mark), as: name)
            if let winner = try isAdded ? mark : vault.item(name)?.value { defaults.set(winner, forKey: key) }
            defaults.removeObject(forKey: candidateKey(mark))
            return false
        }
        guard item.value != known, !isCandidate else { return false }
        for (account, tag) in try vault.tags(ofService: service) {
            try vault.delete(KeychainName(service: service, account: account), tagged: tag)
        }
        // Last step: if the process ends before it, the next start repeats everything.
        defaults.set(item.value, forKey: key)
        return true
    }
}
