import Foundation
import TestSupport
import Testing

/// The version is in `Sources/IdentityTool/Version.swift`. The changelog and the pages follow it.
@Suite struct VersionTests {
    private static let root = PackageFolder.url

    /// A version in the changelog, and the day of its release.
    private struct Entry {
        let version: String
        /// `nil` for the next release.
        let date: String?
    }

    private static func changelog() throws -> [Entry] {
        let text = try String(contentsOf: root.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
        return try text.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { heading in
            let parts = try #require(
                heading.wholeMatch(of: /## (\d+\.\d+\.\d+) \((?:unreleased|(\d{4}-\d{2}-\d{2}))\)/), "\(heading)")
            return Entry(version: String(parts.1), date: parts.2.map { String($0) })
        }
    }

    @Test("The tool prints its version, also after a command, and the manual page has it")
    func printed() async throws {
        let result = try await Tool.run("--version")
        #expect(result.status == 0 && result.errors.isEmpty)
        let version = result.output.trimmingCharacters(in: .newlines)
        #expect(version.wholeMatch(of: /\d+\.\d+\.\d+(-dev)?/) != nil, "\(version)")
        #expect(try await Tool.run("token", "--version").output == result.output)
        let page = try await Tool.run("manual").output
        #expect(page.hasPrefix(#".TH IDENTITY 1 "" "swift-identity \#(version)" "User Commands""#))
    }

    @Test("The changelog begins with this version, and has days for those before it")
    func changelog() async throws {
        let entries = try Self.changelog()
        let newest = try #require(entries.first)
        let printed = try await Tool.run("--version").output.trimmingCharacters(in: .newlines)
        #expect(newest.version + (newest.date == nil ? "-dev" : "") == printed)
        for entry in entries.dropFirst() { #expect(entry.date != nil, "\(entry.version)") }
    }

    /// After a release: `SWIFT_IDENTITY_RECORD=1 swift test --filter VersionTests` writes the pages anew.
    @Test("Pages and new plug-ins ask one address for the newest release, or for the branch before the first one")
    func dependency() async throws {
        let newest = try Self.changelog().first { $0.date != nil }?.version
        let requirement = newest.map { #"from: "\#($0)""# } ?? #"branch: "main""#
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("version-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try await Tool.run("plugin", "new", "Acme", "--folder", folder.path)
        #expect(run.status == 0)
        let manifest = try String(contentsOf: folder.appendingPathComponent("Package.swift"), encoding: .utf8)
        let address = try #require(manifest.firstMatch(of: #/url: "([^"]*/swift-identity\.git)"/#)?.1)
        let expected = #".package(url: "\#(address)", \#(requirement))"#
        #expect(manifest.contains(expected))

        // A page may name the traits that its libraries need.
        let line = #/\.package\(url: "[^"]*/swift-identity\.git"[^)]*?(, traits: \["[\w", ]+"\])?\)/#
        func dependency(with traits: Substring?) -> String { "\(expected.dropLast())\(traits ?? ""))" }
        var count = 0
        for page in DocumentedTool.pages {
            var text = try String(contentsOf: page, encoding: .utf8)
            if ProcessInfo.processInfo.environment["SWIFT_IDENTITY_RECORD"] == "1", text.contains(line) {
                text.replace(line) { dependency(with: $0.1) }
                try text.write(to: page, atomically: true, encoding: .utf8)
            }
            for match in text.matches(of: line) {
                count += 1
                #expect(String(match.0) == dependency(with: match.1), "\(page.lastPathComponent)")
            }
        }
        #expect(count >= 4)
    }

    @Test("The README says that there is no release for as long as there is none")
    func readme() throws {
        let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        let isReleased = try Self.changelog().contains { $0.date != nil }
        #expect(readme.contains("There is no release yet") == !isReleased)
    }
}
