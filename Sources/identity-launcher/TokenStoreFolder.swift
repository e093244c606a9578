import IdentityStoreFormat

/// Checks of a store's folder before a record is read. These checks are stricter than those of the full tool (``Tool``),
/// so the launcher starts the full tool if a folder fails them.
enum TokenStoreFolder {
    /// Whether the folder is private, its format is known, and its records are encrypted with a key file.
    static func isSound(_ path: String) -> Bool {
        do {
            guard try Privacy.weakness(ofFolder: path) == nil else { return false }
            return try isUnderstood(FileContent(ofOwner: "\(path)/\(StoreTitle.file)").bytes)
        } catch {
            return false
        }
    }

    private static func isUnderstood(_ description: [UInt8]) throws(JSONReader.SyntaxError) -> Bool {
        var (format, version, protection) = ("", 0.0, "")
        var reader = JSONReader(description)
        try reader.members { name, reader throws(JSONReader.SyntaxError) in
            switch name {
            case "format": format = try reader.string()
            case "version": version = try reader.number().value
            case "protection": protection = try reader.string()
            default: try reader.skip()
            }
        }
        return format == StoreTitle.format && version == Double(StoreTitle.newestVersion)
            && protection == StoreTitle.keyFileProtection
    }
}
