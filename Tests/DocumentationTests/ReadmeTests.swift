import Foundation
import IdentityKit
import IdentityPresets
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

    @Test("Badges say the Swift version and the license that the package has")
    func badges() throws {
        let readme = try Documents.text(of: "README.md")
        let manifest = try Documents.text(of: "Package.swift")
        let version = try #require(manifest.prefixMatch(of: /\/\/ swift-tools-version: ?(\d+\.\d+)/)?.1)
        #expect(readme.contains("badge/Swift-\(version)-"))
        let license = try Documents.text(of: "LICENSE").split(whereSeparator: \.isWhitespace)
        #expect(
            license.starts(with: ["Apache", "License", "Version", "2.0,"])
                && readme.contains("badge/license-Apache_2.0-"))
        // As long as there is none, which `VersionTests` finds out.
        #expect(readme.contains("badge/release-none_yet-") == readme.contains("There is no release yet"))
    }

    @Test("Vendors that the README names have presets")
    func vendors() throws {
        let readme = try Documents.text(of: "README.md")
        let named = try #require(readme.firstMatch(of: /\*\*Works with\*\* ([^\[]+) and\s+\[/)?.1)
        let known = KnownProviders.presets.map(\.name)
        let names = named.replacing(/\s+and\s+/, with: ", ").split(separator: /,\s*/)
        #expect(names.count >= 8)
        for name in names { #expect(known.contains { $0.hasPrefix(name) }, "\(name)") }
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
