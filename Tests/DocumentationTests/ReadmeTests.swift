import Foundation
import IdentityKit
import Testing

/// What the README shows is compiled: each of its Swift blocks is a marked region of a file in `Snippets`.
@Suite struct ReadmeTests {
    @Test("Every Swift block of the README is a compiled snippet")
    func swiftBlocks() throws {
        let snippets = try Documents.snippets()
        let blocks = try Documents.blocks(of: "swift", in: "README.md")
        #expect(blocks.count >= 3)
        for block in blocks {
            #expect(snippets.contains(block), "This block is not in Tests/DocumentationTests/Snippets:\n\(block)")
        }
    }

    @Test("Every configuration in the README is a valid one")
    func configurations() throws {
        let blocks = try Documents.blocks(of: "json", in: "README.md")
        #expect(!blocks.isEmpty)
        for block in blocks {
            #expect(!(try IdentityConfiguration(parsing: Data(block.utf8))).providers.isEmpty)
        }
    }

    @Test("Every picture and file the README links to is there")
    func links() throws {
        let readme = try String(contentsOf: Documents.root.appendingPathComponent("README.md"), encoding: .utf8)
        let targets = readme.matches(of: /\]\(([^)#]+)\)|src(?:set)?="([^"]+)"/).compactMap { $0.1 ?? $0.2 }
        for target in targets where !target.contains("://") {
            #expect(FileManager.default.fileExists(atPath: Documents.root.appendingPathComponent(String(target)).path))
        }
    }
}
