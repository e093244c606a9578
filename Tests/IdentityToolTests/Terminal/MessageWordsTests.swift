import Foundation
import TestSupport
import Testing

/// The texts of the tool, and those of the libraries that it shows, as their sources have them.
@Suite struct MessageWordsTests {
    /// What a terminal's reader never comes to: sources that are written, and views.
    private static let elsewhere = ["/Plugin/", "/Apple/"]

    private static let folders = [
        "Sources/IdentityTool", "Sources/IdentityCore", "Sources/IdentityKit", "Sources/IdentityOAuth",
        "Sources/IdentityTerminal", "Sources/IdentityPostgres", "Sources/IdentityStoreFormat",
        "Sources/IdentityLocalServers", "Providers/ThunderID", "Providers/InsForge", "Providers/OAuth",
        "Providers/Presets",
    ]

    private static func sources(in folder: String) throws -> [(path: String, text: String)] {
        let root = PackageFolder.url.appendingPathComponent(folder)
        let files = FileManager.default.enumerator(atPath: root.path)?.allObjects as? [String] ?? []
        return try files.filter { $0.hasSuffix(".swift") }.sorted().map {
            ("\(folder)/\($0)", try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8))
        }
    }

    /// The sentences among a source's strings, without what is put into them.
    private static func sentences(in source: String) -> [String] {
        var isInText = false
        return source.split(separator: "\n").flatMap { line -> [String] in
            let line = line.trimmingCharacters(in: .whitespaces)
            guard isInText || line.contains("\""), !line.hasPrefix("//") else { return [] }
            if line.matches(of: /"{3}/).count == 1 {
                isInText.toggle()
                return []
            }
            let strings =
                isInText ? [line] : line.matches(of: /"((?:[^"\\]|\\.)*)"/).map { String($0.output.1) }
            return strings.map {
                String(
                    $0.replacing(#"\""#, with: "'").replacing(/\\\((?:[^()]|\([^()]*\))*\)/, with: "").prefix {
                        $0 != "\\"
                    })
            }
        }.filter { $0.contains(" ") }
    }

    @Test("No sentence that a terminal shows names a type of Swift")
    func types() throws {
        let declaration = /public (?:final class|struct|enum|protocol|actor) (\w+)/
        let all = try (Self.folders + ["Sources/IdentityTesting", "Sources/SwiftIdentity"]).flatMap(Self.sources)
        // One word can be anybody's.
        let types = Set(all.flatMap { $0.text.matches(of: declaration).map(\.output.1) })
            .filter { $0.contains(/[a-z][A-Z]/) }
        #expect(types.count > 200)
        var count = 0
        for (path, text) in try Self.folders.flatMap(Self.sources)
        where !Self.elsewhere.contains(where: path.contains) {
            for sentence in Self.sentences(in: text) {
                count += 1
                let named = sentence.split { !$0.isLetter && !$0.isNumber }.filter(types.contains)
                // The description of a value, which debuggers show.
                let isDescription = named.first.map { sentence.hasPrefix("\($0)(") } ?? false
                #expect(named.isEmpty || isDescription, "\(path): \(sentence)")
            }
        }
        #expect(count > 1_000)
    }
}
