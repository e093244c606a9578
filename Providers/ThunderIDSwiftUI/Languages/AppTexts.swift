import Foundation

extension ThunderIDI18n {
    /// No table of texts is larger, in bytes.
    private nonisolated static let maximumTableSize = 1 << 20

    /// The texts of an app's own String Catalog, `ThunderID.xcstrings`, of which Xcode makes a table for each language.
    /// - Parameters:
    ///   - table: the catalogue's name.
    ///   - bundle: where it is.
    /// - Returns: the texts by language and key. A language whose table cannot be read is missing.
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
