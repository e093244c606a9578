import IdentityKit

enum DefaultStore {
    /// Opens the default store. On Apple's systems this is the Keychain, in the configured access group.
    ///
    /// On other systems, the store consists of encrypted files in a folder of `$XDG_DATA_HOME`, by default of `~/.local/share`.
    /// The folder is named after the configured vendor and instance, by default `thunderid`. The key is in the desktop's
    /// keyring or in a key file. A Mac program that may not use the Keychain also gets such files, with a key file, unless an
    /// access group is configured.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    static func open(
        for config: ThunderIDConfig, variables: [String: String], time: TimeSource
    ) throws -> any TokenStore {
        // Use a store of IdentityKit, not a `StorageAdapter`: an app and its extensions must refresh a session only once,
        // and an adapter cannot coordinate several processes.
        let place = configuration(for: config, variables: variables)
        if config.beginsAnewAfterReinstallation { try removeFormerInstallation(from: place) }
        return try place.open(time: time)
    }

    private static func removeFormerInstallation(from place: StoreConfiguration) throws {
        do {
            try place.beginAnewAfterReinstallation()
        } catch TokenStoreError.locked {
            // An app can be installed only on an unlocked device, so before the first unlock this installation is not new.
        }
    }

    static func configuration(for config: ThunderIDConfig, variables: [String: String]) -> StoreConfiguration {
        let name = [config.vendor, config.instanceId.map(String.init)].compactMap { $0 }.joined(separator: "-")
        let home = variables["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "~/.local/share"
        return .keychain(service: "dev.\(name).sdk", accessGroup: config.accessGroup, orFilesIn: "\(home)/\(name)")
    }
}
