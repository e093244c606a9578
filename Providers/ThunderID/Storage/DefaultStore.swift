import IdentityKit

enum DefaultStore {
    /// Apple: the Keychain, in the configured access group. Elsewhere, and for a program that may not use the Keychain: the
    /// framework's sealed files in the person's data folder (`$XDG_DATA_HOME/thunderid`, by default
    /// `~/.local/share/thunderid`), with the key in the desktop's keyring or a key file.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    static func open(
        for config: ThunderIDConfig, variables: [String: String], time: TimeSource
    ) throws -> any TokenStore {
        // Not through an adapter, which knows no other processes: an app and its extensions refresh a session once.
        let store = try configuration(for: config, variables: variables).open(time: time)
        if config.beginsAnewAfterReinstallation { try removeFormerInstallation(from: store) }
        return store
    }

    private static func removeFormerInstallation(from store: any TokenStore) throws {
        do {
            try (store as? KeychainTokenStore)?.beginAnewAfterReinstallation()
        } catch TokenStoreError.locked {
            // The person who has just installed the app has unlocked the device.
        }
    }

    static func configuration(for config: ThunderIDConfig, variables: [String: String]) -> StoreConfiguration {
        let name = [config.vendor, config.instanceId.map(String.init)].compactMap { $0 }.joined(separator: "-")
        let home = variables["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "~/.local/share"
        return .keychain(service: "dev.\(name).sdk", accessGroup: config.accessGroup, orFilesIn: "\(home)/\(name)")
    }
}
