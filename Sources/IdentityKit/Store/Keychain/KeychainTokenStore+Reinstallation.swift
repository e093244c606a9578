import Foundation

extension KeychainTokenStore {
    /// Empties the store after a reinstallation of the app. When an app is removed, the system deletes its user
    /// defaults but not its Keychain items, so that whoever installs the app again would be signed in as the former
    /// user.
    ///
    /// The first call writes a random mark to both places, and removes nothing. If a later call finds the mark in the
    /// Keychain but not in the user defaults, the store was written by another installation, and everything in it is
    /// removed, including temporary records. Call it when the app starts, before anything else uses the store.
    /// - Parameter defaults: the app's own user defaults; for a store that is shared with extensions, those of the app
    ///   group.
    /// - Returns: whether the store was emptied.
    /// - Throws: ``/IdentityCore/TokenStoreError``; ``/IdentityCore/TokenStoreError/locked(detail:)`` before the first
    ///   unlock, when user defaults may look empty too, in which case nothing was removed.
    @discardableResult
    public func beginAnewAfterReinstallation(markedIn defaults: UserDefaults = .standard) throws -> Bool {
        let name = KeychainName(service: "\(service).installation", account: "mark")
        let key = "swift-identity.installation.\(service)"
        let known = defaults.data(forKey: key)
        guard let item = try vault.item(name) else {
            let mark = known ?? Data(UUID().uuidString.utf8)
            _ = try vault.add(KeychainItem(tag: Data(), value: mark), as: name)
            defaults.set(mark, forKey: key)
            return false
        }
        guard item.value != known else { return false }
        for (account, tag) in try vault.tags(ofService: service) {
            try vault.delete(KeychainName(service: service, account: account), tagged: tag)
        }
        // Last step: if the process ends before it, the next start repeats everything.
        defaults.set(item.value, forKey: key)
        return true
    }
}
