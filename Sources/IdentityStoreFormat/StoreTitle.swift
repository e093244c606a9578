/// The file `store.json`, as far as every program that reads a store must agree on it.
package enum StoreTitle {
    package static let file = "store.json"
    package static let format = "swift-identity-store"
    /// The newest `version` that is understood.
    package static let newestVersion = 1
    /// The `protection` of a store whose records are sealed with a key in a file.
    package static let keyFileProtection = "key-file"
}
