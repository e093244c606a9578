import Foundation
import IdentityStoreFormat

extension StoreConfiguration {
    /// The default store: the Keychain if the program may use it, otherwise encrypted files in the state folder. Opening
    /// the files throws if there is neither a home folder nor an absolute path in `XDG_STATE_HOME`.
    /// - Parameter variable: returns the value of an environment variable.
    static func standard(_ variable: (String) -> String?) -> StoreConfiguration {
        keychain(
            service: standardService, accessGroup: nil,
            orFilesIn: UserFolder.state.path(home: "~", variable: variable) ?? "~")
    }

    /// Service name of the sessions in the Keychain, for a configuration without a service name.
    static let standardService = "swift-identity"

    /// Service name of an app's default store. Without an access group, it ends with the app's bundle identifier, because
    /// the system then uses the first group in the app's entitlements, which other apps may have as well.
    static func service(
        _ name: String, accessGroup: String?, of app: String? = Bundle.main.bundleIdentifier
    ) -> String {
        guard accessGroup == nil, let app else { return name }
        return "\(name).\(app)"
    }

    /// The default store of an SDK's client: the Keychain if the program may use it, otherwise encrypted files in
    /// `folder`. An unsigned program on a Mac may not use the Keychain and gets files with a key file.
    /// - Parameter accessGroup: shares the sessions between an app and its extensions. If it is given, the Keychain is
    ///   always used on Apple systems, so that an app that may not use the group gets an error.
    package static func keychain(
        service: String, accessGroup: String?, orFilesIn folder: String
    ) -> StoreConfiguration {
        #if os(tvOS)
        // tvOS may remove an app's files at any time.
        return .keychain(service: Self.service(service, accessGroup: accessGroup), accessGroup: accessGroup)
        #elseif canImport(Security)
        return keychain(
            service: Self.service(service, accessGroup: accessGroup), accessGroup: accessGroup, orFilesIn: folder,
            asking: SecurityKeychain(accessGroup: nil))
        #else
        return .file(folder: folder)
        #endif
    }

    /// Chooses as ``keychain(service:accessGroup:orFilesIn:)`` does, but never appends the app's bundle identifier to
    /// `service`. Tests pass their own `keychain`.
    static func keychain(
        service: String, accessGroup: String?, orFilesIn folder: String, asking keychain: any Keychain
    ) -> StoreConfiguration {
        guard accessGroup == nil, KeyChoice.best(in: keychain) == .keyFile else {
            return .keychain(service: service, accessGroup: accessGroup)
        }
        return .file(folder: folder)
    }
}
