import Foundation

extension ThunderIDI18n {
    /// The maximum size of a table of texts, in bytes. Larger tables are ignored.
    private nonisolated static let maximumTableSize = 1 << 20

    /// Reads the texts of an app's own String Catalog. Xcode compiles the catalog to a table for each language.
    /// - Parameters:
    ///   - table: the name of the catalog, without the extension `xcstrings`.
    ///   - bundle: the bundle with the tables.
    /// - Returns: the texts by language and key. A language is omitted if its table is missing, unreadable or larger
    ///   than 1 MiB.
    public nonisolated static func bundles(
        fromTable table: String = "ThunderID", in bundle: Bundle = .main
    ) -> [String: [String: String]] {
        let resources = bundle.resourceURL ?? bundle.bundleURL
        let folders = try? FileManager.default.contentsOfDirectory(at: resources, includingPropertiesForKeys: nil)
        return (folders ?? []).filter { $0.pathExtension == "lproj" }.reduce(into: [:]) { bundles, folder in
            let file = folder.appendingPathComponent("\(table).strings")
            guard let data = try? Data(contentsOf: file), data.count <= maximumTableSize,
                let texts = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: String]
            else { return }
            bundles[folder.deletingPathExtension().lastPathComponent] = texts
        }
    }
}
