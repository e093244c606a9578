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

    /// The pages that GitHub shows.
    private static let pages =
        ["README.md", "CONTRIBUTING.md"]
        + [".github", ".ci", "Documentation"].flatMap { Documents.paths(in: $0) { $0.hasSuffix(".md") } }

    @Test("Every picture and file the README and its like link to is there", arguments: Self.pages)
    func links(page: String) throws {
        let folder = Documents.root.appendingPathComponent(page).deletingLastPathComponent()
        let targets = try Documents.text(of: page)
            .matches(of: /\]\(([^)#]+)\)|src(?:set)?="([^"]+)"/).compactMap { $0.1 ?? $0.2 }
        for target in targets where !target.contains("://") {
            #expect(
                FileManager.default.fileExists(atPath: folder.appendingPathComponent(String(target)).path), "\(target)")
        }
    }
}
