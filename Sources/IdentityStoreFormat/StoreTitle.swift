/// The members of the file `store.json` that every program which reads a store must agree on.
package enum StoreTitle {
    package static let file = "store.json"
    package static let format = "swift-identity-store"
    /// The newest `version` of a store that this code understands.
    package static let newestVersion = 1
    /// Value of `protection` for a store whose records are encrypted with a key in a file.
    package static let keyFileProtection = "key-file"
}
