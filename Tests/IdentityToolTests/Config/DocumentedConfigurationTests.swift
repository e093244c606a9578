import Foundation
import IdentityKit
import TestSupport
import Testing

/// The configurations that pages show are checked as their readers check them.
@Suite(.endsInTime) struct DocumentedConfigurationTests {
    /// Variables that the configurations refer to.
    private static let variables = [
        "ANON_KEY": "anon", "REPORTS_SECRET": "a secret", "NOTES_SECRET": "a secret",
        "DATABASE_URL": "postgresql://identity@localhost/identity",
    ]

    /// The blocks of the pages. The pages of settings show parts, whose examples name files: `SettingsPageTests` has them.
    private static func blocks(in page: URL) throws -> [String] {
        guard !DocumentedTool.path(of: page).contains("/Settings") else { return [] }
        let text = try String(contentsOf: page, encoding: .utf8)
        return text.matches(of: /(?:^|\n) *```json\n([\s\S]*?)\n *```/).map { String($0.output.1) }
    }

    @Test("Every configuration on a page passes config check")
    func check() async throws {
        let folder = try TemporaryFolder()
        var checked = 0
        for page in DocumentedTool.allPages {
            for text in try Self.blocks(in: page) where try await isUsable(text, in: folder) { checked += 1 }
        }
        #expect(checked > 12)
    }

    /// Checks a block; `false` for one that is no whole configuration, or whose store needs a trait.
    private func isUsable(_ text: String, in folder: TemporaryFolder) async throws -> Bool {
        let document = try JSONValue(parsing: Data(text.utf8))
        let type = document["store"]?["type"]?.stringValue
        guard document["providers"] != nil || document["profiles"] != nil, type != "postgres" else { return false }
        let file = folder.file("identity.json")
        try Data(text.utf8).write(to: file)
        // A type of the reader's own is not the tool's.
        let result = try await Tool.run(
            ["config", "check", "--allow-unknown-types", file.path],
            environment: Self.variables.merging(["HOME": folder.url.path]) { $1 })
        #expect(result.status == 0, "\(result.output)\(result.errors)\n\(text)")
        return true
    }
}
