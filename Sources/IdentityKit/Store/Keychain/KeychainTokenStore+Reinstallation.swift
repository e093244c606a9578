import Foundation

extension KeychainTokenStore {
    /// Begins anew after a reinstallation of the app. The system removes an app's user defaults with the app, and leaves its
    /// Keychain, so that whoever installs the app again would be signed in as whoever had it before.
    ///
    /// The first call notes a random mark in both places, and removes nothing. Where a later call finds the mark in the
    /// Keychain and not in the user defaults, another installation has written what is in this store, and everything in it
    /// is removed, also what runs out by itself. Call it when the app starts, before anything else uses the store.
    /// - Parameter defaults: the app's own user defaults; for a store that is shared with extensions, those of the app
    ///   group.
    /// - Returns: whether there was another installation.
    /// - Throws: ``/IdentityCore/TokenStoreError``; ``/IdentityCore/TokenStoreError/locked(detail:)`` before the first
    ///   unlock, when user defaults may look empty too. Then nothing was removed.
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
        // Last of all: a process that ends in between does it again.
        defaults.set(item.value, forKey: key)
        return true
    }
}
