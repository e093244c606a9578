/// Where a record lies in the folder of its store: `<collection>/<hash>.record`.
package enum RecordPath {
    /// What the names of record files end with.
    package static let suffix = ".record"

    /// The path below the store's folder.
    package static func path(collection: String, name: String) -> String {
        "\(collection)/\(hash(ofName: name))\(suffix)"
    }

    /// The hash of a record's name, so that no account name shows in a file name.
    package static func hash(ofName name: String) -> String {
        digest(of: Array(name.utf8))
    }
}
