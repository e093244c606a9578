import Foundation
import Testing

/// Everything else builds upon this module, so it builds upon nothing.
@Suite struct DependencyTests {
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("It imports the base of Foundation and nothing else")
    func imports() throws {
        let folder = Self.package.appendingPathComponent("Sources/IdentityCore")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        #expect(!files.isEmpty)
        for file in files {
            let source = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            let imports = source.split(separator: "\n").filter { $0.split(separator: " ").contains("import") }
                .filter { !$0.contains("//") }
            #expect(imports.allSatisfy { $0 == "import Foundation" }, "\(file): \(imports)")
        }
    }

    @Test("The manifest gives it no dependency, neither a target nor a package")
    func manifest() throws {
        let manifest = try String(
            contentsOf: Self.package.appendingPathComponent("Package.swift"), encoding: .utf8)
        let target = try #require(manifest.firstMatch(of: /\.target\(\s*name: "IdentityCore"[^)]*\)/)).output
        #expect(!target.contains("dependencies") && !target.contains("plugins"))
    }
}
