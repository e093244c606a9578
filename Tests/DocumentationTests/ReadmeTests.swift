import Foundation
import IdentityKit
import Testing

/// What the README shows and links to. That its code compiles is a matter of `ArticleTests`.
@Suite struct ReadmeTests {
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
