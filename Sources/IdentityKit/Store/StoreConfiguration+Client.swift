import IdentityStoreFormat

extension StoreConfiguration {
    /// The store of a configuration that names none: in the Keychain, and where there is none for this program, in
    /// sealed files in the state folder. Without a home folder, opening that says so.
    /// - Parameter variable: the text of a variable of the environment.
    static func standard(_ variable: (String) -> String?) -> StoreConfiguration {
        keychain(
            service: standardService, accessGroup: nil,
            orFilesIn: UserFolder.state.path(home: "~", variable: variable) ?? "~")
    }

    /// The name that sessions have in the Keychain where a configuration gives them none.
    static let standardService = "swift-identity"

    /// The store of an SDK's client when an app names none: in the Keychain, and where there is none for this program,
    /// in sealed files in `folder`. An unsigned program on a Mac is such a one; it gets a key file.
    /// - Parameter accessGroup: shares the sessions between an app and its extensions. With one there is no other place: an
    ///   app that names a group and may not use it has to be told.
    package static func keychain(
        service: String, accessGroup: String?, orFilesIn folder: String
    ) -> StoreConfiguration {
        #if os(tvOS)
        // Nothing dependable is in files there.
        return .keychain(service: service, accessGroup: accessGroup)
        #elseif canImport(Security)
        return keychain(
            service: service, accessGroup: accessGroup, orFilesIn: folder, asking: SecurityKeychain(accessGroup: nil))
        #else
        return .file(folder: folder)
        #endif
    }

    /// As above with a given Keychain, for tests.
    static func keychain(
        service: String, accessGroup: String?, orFilesIn folder: String, asking keychain: any Keychain
    ) -> StoreConfiguration {
        guard accessGroup == nil, KeyChoice.best(in: keychain) == .keyFile else {
            return .keychain(service: service, accessGroup: accessGroup)
        }
        return .file(folder: folder)
    }
}
