import IdentityKit

enum DefaultStore {
    /// Opens the default store. On Apple's systems this is the Keychain, in the configured access group. Elsewhere, and
    /// for a program that may not use the Keychain, it consists of the framework's sealed files in the person's data
    /// folder (`$XDG_DATA_HOME/thunderid`, by default `~/.local/share/thunderid`), with the key in the desktop's
    /// keyring or a key file.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    static func open(
        for config: ThunderIDConfig, variables: [String: String], time: TimeSource
    ) throws -> any TokenStore {
        // An adapter could not coordinate an app and its extensions, which must refresh a session only once.
        let store = try configuration(for: config, variables: variables).open(time: time)
        if config.beginsAnewAfterReinstallation { try removeFormerInstallation(from: store) }
        return store
    }

    private static func removeFormerInstallation(from store: any TokenStore) throws {
        do {
            try (store as? KeychainTokenStore)?.beginAnewAfterReinstallation()
        } catch TokenStoreError.locked {
            // Before the first unlock there is nothing to do; a new installation happens only on an unlocked device.
        }
    }

    static func configuration(for config: ThunderIDConfig, variables: [String: String]) -> StoreConfiguration {
        let name = [config.vendor, config.instanceId.map(String.init)].compactMap { $0 }.joined(separator: "-")
        let home = variables["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "~/.local/share"
        return .keychain(service: "dev.\(name).sdk", accessGroup: config.accessGroup, orFilesIn: "\(home)/\(name)")
    }
}
