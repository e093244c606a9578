/// Name of the file that describes a store, and values in that file. The library and the launcher both check the values.
package enum StoreTitle {
    package static let file = "store.json"
    package static let format = "swift-identity-store"
    /// Highest `version` in `store.json` that this code can read.
    package static let newestVersion = 1
    /// Value of `protection` for a store whose records are encrypted with a key in a file.
    package static let keyFileProtection = "key-file"
}
