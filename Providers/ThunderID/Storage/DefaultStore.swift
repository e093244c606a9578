import Foundation
import IdentityKit

/// Where sessions are kept by default.
enum DefaultStore {
    /// Apple: the Keychain. Elsewhere: the framework's sealed files in the person's data folder
    /// (`$XDG_DATA_HOME/thunderid`, by default `~/.local/share/thunderid`), with the key in the desktop's keyring or a
    /// key file.
    /// - Throws: ``TokenStoreError``.
    static func open(
        for config: ThunderIDConfig, variables: [String: String], time: TimeSource
    ) throws -> any TokenStore {
        let name = [config.vendor, config.instanceId.map(String.init)].compactMap { $0 }.joined(separator: "-")
        #if canImport(Security)
        // Not through an adapter, which knows no other processes: an app and its extensions refresh a session once.
        return KeychainTokenStore(service: "dev.\(name).sdk", time: time)
        #else
        let home = variables["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "~/.local/share"
        return try StoreConfiguration.file(folder: "\(home)/\(name)").open(time: time)
        #endif
    }
}
