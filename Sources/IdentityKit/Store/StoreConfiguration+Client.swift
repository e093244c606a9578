extension StoreConfiguration {
    /// Where the client of an SDK keeps its sessions when an app names nothing: in the Keychain, and where there is none for
    /// this program, in sealed files in `folder`. An unsigned program on a Mac is such a one; it gets a key file.
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

    /// The same, by what `keychain` answers.
    static func keychain(
        service: String, accessGroup: String?, orFilesIn folder: String, asking keychain: any Keychain
    ) -> StoreConfiguration {
        guard accessGroup == nil, KeyChoice.best(in: keychain) == .keyFile else {
            return .keychain(service: service, accessGroup: accessGroup)
        }
        return .file(folder: folder)
    }
}
