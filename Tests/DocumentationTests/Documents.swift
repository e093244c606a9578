import Foundation

/// The texts of the documentation, and the code that they show.
enum Documents {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The code blocks of a language in a document.
    static func blocks(of language: String, in path: String) throws -> [String] {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            .components(separatedBy: "```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
    }

    /// What is compiled: the marked regions of the files in `Snippets`.
    static func snippets() throws -> Set<String> {
        try files(in: "Tests/DocumentationTests/Snippets").reduce(into: []) { snippets, file in
            let text = try String(contentsOf: file, encoding: .utf8)
            for part in text.components(separatedBy: "// snippet: ").dropFirst() {
                let lines = part.components(separatedBy: "\n").dropFirst()
                snippets.insert(dedented(lines.prefix { !$0.contains("// end snippet") }))
            }
        }
    }

    /// Whole files that are compiled and run as they are shown.
    static func examples() throws -> Set<String> {
        try Set(
            files(in: "Tests/IdentityKitTests/Example").map {
                try String(contentsOf: $0, encoding: .utf8).trimmingCharacters(in: .newlines)
            })
    }

    private static func files(in folder: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
    }

    private static func dedented(_ lines: some Sequence<String>) -> String {
        let lines = Array(lines)
        let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(indentation)) }.joined(separator: "\n")
    }
}
