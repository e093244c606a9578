import Foundation
import TestSupport

/// A public type of one of the libraries, as its source declares it.
struct PublicType: Hashable {
    /// Its name with its module's and those of the types around it, such as `IdentityKit.SilentDeadline.Policy`.
    let name: String
    /// What follows the name in its declaration, such as `: String, Sendable, CaseIterable`.
    let conformances: String
    /// The file, for a message.
    let file: String

    /// The modules people use.
    private static let modules = [
        ("IdentityCore", "Sources/IdentityCore"), ("IdentityKit", "Sources/IdentityKit"),
        ("IdentityOAuth", "Sources/IdentityOAuth"), ("IdentitySwiftUI", "Sources/IdentitySwiftUI"),
        ("ThunderID", "Providers/ThunderID"),
        ("ThunderIDSwiftUI", "Providers/ThunderIDSwiftUI"), ("InsForge", "Providers/InsForge"),
        ("IdentityOAuthProviders", "Providers/OAuth"), ("IdentityPresets", "Providers/Presets"),
        ("IdentityPostgres", "Sources/IdentityPostgres"),
        ("IdentityObservability", "Sources/IdentityObservability"),
    ]

    /// Every public type that is built here: a list that nobody keeps cannot be behind.
    static func all() throws -> Set<PublicType> {
        let root = PackageFolder.url
        return try modules.reduce(into: []) { types, module in
            let folder = root.appendingPathComponent(module.1)
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
                types.formUnion(declared(in: try String(contentsOf: file, encoding: .utf8), module.0, file))
            }
        }
    }

    /// The types around a declaration are found by its indentation, which the formatter keeps.
    private static func declared(in source: String, _ module: String, _ file: URL) -> Set<PublicType> {
        var around: [(indentation: Int, name: String)] = []
        var found: Set<PublicType> = []
        for line in BuiltLines(of: source) {
            let words = line.split(separator: " ")
            guard let keyword = words.firstIndex(where: { Self.keywords.contains($0) }), words.count > keyword + 1,
                words[..<keyword].allSatisfy({ Self.modifiers.contains($0) || $0.hasPrefix("@") })
            else { continue }
            let indentation = line.prefix { $0 == " " }.count
            around.removeAll { $0.indentation >= indentation }
            let name = String(words[keyword + 1].prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" })
            around.append((indentation, name))
            guard words[..<keyword].contains("public"), Self.typeKeywords.contains(words[keyword]) else { continue }
            found.insert(
                PublicType(
                    name: ([module] + around.map(\.name)).joined(separator: "."),
                    conformances: words[(keyword + 2)...].joined(separator: " "), file: file.lastPathComponent))
        }
        return found
    }

    private static let typeKeywords: Set<Substring> = ["struct", "class", "enum", "actor"]
    private static let keywords = typeKeywords.union(["extension", "protocol"])
    private static let modifiers: Set<Substring> = [
        "public", "package", "private", "fileprivate", "internal", "final", "indirect", "nonisolated",
    ]

    /// Why the type can hold no secret at all, by its own declaration; `nil` when it may.
    var reasonForHoldingNone: String? {
        if conformances.contains("CaseIterable") { return "a closed set of words" }
        if conformances.contains("OpenEnum") { return "a word of a protocol" }
        if conformances.contains("ProviderPlugin") { return "it has no values" }
        if conformances == "{}" { return "it has no members" }
        if conformances.contains("View {") { return "a view, which no other system than Apple's has" }
        return nil
    }
}
