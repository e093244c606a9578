import Foundation

extension ThunderIDI18n {
    /// The largest table of texts, in bytes; a larger one is ignored.
    private nonisolated static let maximumTableSize = 1 << 20

    /// The texts of an app's own String Catalog, `ThunderID.xcstrings`, which Xcode compiles to a table for each language.
    /// - Parameters:
    ///   - table: the catalogue's name.
    ///   - bundle: the bundle with the tables.
    /// - Returns: the texts by language and key. A language with an unreadable table is omitted.
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
