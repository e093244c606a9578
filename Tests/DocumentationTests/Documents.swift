import Foundation
import TestSupport

/// The texts of the documentation, and the code that they show.
enum Documents {
    static let root = PackageFolder.url

    /// Every page of every catalogue, by its path in the package.
    static let articles = ["Sources", "Providers"].flatMap {
        paths(in: $0) { $0.contains(".docc/") && $0.hasSuffix(".md") }
    }

    /// Every page a reader may find code in.
    static let everything = articles + ["README.md", "CONTRIBUTING.md"]

    /// The text of a file of the package.
    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The source files with code in their comments. Of the tool's, whose comments nobody else reads, too.
    static let commented = ["Sources", "Providers"]
        .flatMap { paths(in: $0) { $0.hasSuffix(".swift") } }
        .filter { (try? !CodeBlock.all(in: document(at: $0)).isEmpty) ?? true }

    /// The code blocks of a language in a page, or in the comments of a source file.
    static func blocks(of language: String, in path: String) throws -> [String] {
        try CodeBlock.all(in: document(at: path)).filter { $0.language == language }.map(\.code)
    }

    /// The Markdown of a page, or that of the documentation comments of a source file. What is between two comments is
    /// an empty line.
    static func document(at path: String) throws -> String {
        guard path.hasSuffix(".swift") else { return try text(of: path) }
        return try text(of: path).components(separatedBy: "\n").map { line in
            let code = line.drop { $0 == " " }
            guard code.hasPrefix("///") else { return "" }
            return String(code.dropFirst(code.hasPrefix("/// ") ? 4 : 3))
        }.joined(separator: "\n")
    }

    /// The code that is compiled: the marked regions of the files in `Snippets`, of the program that tests start, of the sample apps
    /// that are compiled for Apple's systems, and of the examples.
    static func snippets() throws -> Set<String> {
        let files = [
            "Tests/DocumentationTests/Snippets", "Tests/StoreProbe", "Tests/AppleSamples", "Documentation/Examples",
        ]
        .flatMap { paths(in: $0) { $0.hasSuffix(".swift") } }
        return try files.reduce(into: []) { snippets, file in
            for part in try text(of: file).components(separatedBy: "// snippet: ").dropFirst() {
                let lines = part.components(separatedBy: "\n").dropFirst()
                snippets.insert(dedented(lines.prefix { !$0.contains("// end snippet") }))
            }
        }
    }

    /// Whole files that are compiled and run as they are shown.
    static func examples() throws -> Set<String> {
        try Set(
            paths(in: "Tests/IdentityKitTests/Example") { $0.hasSuffix(".swift") }
                .map { try text(of: $0).trimmingCharacters(in: .newlines) })
    }

    /// The files below a folder of the package that are wanted, without what the examples were built of.
    static func paths(in folder: String, where isWanted: (String) -> Bool) -> [String] {
        let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
        return (files?.allObjects as? [String] ?? []).map { "\(folder)/\($0)" }
            .filter { isWanted($0) && !$0.contains("/.build/") }.sorted()
    }

    private static func dedented(_ lines: some Sequence<String>) -> String {
        let lines = Array(lines)
        let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(indentation)) }.joined(separator: "\n")
    }
}
