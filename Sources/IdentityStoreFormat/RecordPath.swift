/// The path of a record's file in its store: `<collection>/<hash>.record`.
package enum RecordPath {
    package static let suffix = ".record"

    package static func path(collection: String, name: String) -> String {
        "\(collection)/\(hash(ofName: name))\(suffix)"
    }

    /// Returns the SHA-256 digest of a record's name in hexadecimal, so that file names do not show account names.
    package static func hash(ofName name: String) -> String {
        digest(of: Array(name.utf8))
    }
}
