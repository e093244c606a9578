import Foundation
import IdentityKit
import Testing

/// What the README shows is compiled: each of its Swift blocks is a marked region of a file in `Snippets`.
@Suite struct ReadmeTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("Every Swift block of the README is a compiled snippet")
    func swiftBlocks() throws {
        let snippets = try Self.snippets()
        let blocks = try Self.blocks(of: "swift")
        #expect(blocks.count >= 3)
        for block in blocks {
            #expect(snippets.contains(block), "This block is not in Tests/DocumentationTests/Snippets:\n\(block)")
        }
    }

    @Test("Every configuration in the README is a valid one")
    func configurations() throws {
        let blocks = try Self.blocks(of: "json")
        #expect(!blocks.isEmpty)
        for block in blocks {
            #expect(!(try IdentityConfiguration(parsing: Data(block.utf8))).providers.isEmpty)
        }
    }

    @Test("Every picture and file the README links to is there")
    func links() throws {
        let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        let targets = readme.matches(of: /\]\(([^)#]+)\)|src="([^"]+)"/).compactMap { $0.1 ?? $0.2 }
        for target in targets where !target.contains("://") {
            #expect(FileManager.default.fileExists(atPath: Self.root.appendingPathComponent(String(target)).path))
        }
    }

    private static func blocks(of language: String) throws -> [String] {
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        return readme.components(separatedBy: "```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
    }

    private static func snippets() throws -> Set<String> {
        let folder = root.appendingPathComponent("Tests/DocumentationTests/Snippets")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.reduce(into: []) { snippets, file in
            let text = try String(contentsOf: file, encoding: .utf8)
            for part in text.components(separatedBy: "// snippet: ").dropFirst() {
                let lines = part.components(separatedBy: "\n").dropFirst()
                snippets.insert(dedented(lines.prefix { !$0.contains("// end snippet") }))
            }
        }
    }

    private static func dedented(_ lines: some Sequence<String>) -> String {
        let lines = Array(lines)
        let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(indentation)) }.joined(separator: "\n")
    }
}
