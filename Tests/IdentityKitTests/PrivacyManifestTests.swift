import Foundation
import Testing

/// Apple wants to know why a library calls certain functions. What the sources call and what the manifest says must agree.
@Suite struct PrivacyManifestTests {
    /// The functions that need a reason, by category, as far as a library like this might call them.
    private static let functions: [String: [String]] = [
        "NSPrivacyAccessedAPICategoryFileTimestamp": [
            "stat", "fstat", "lstat", "fstatat", "getattrlist", "contentModificationDateKey", "creationDateKey",
            "modificationDate", "creationDate",
        ],
        "NSPrivacyAccessedAPICategoryDiskSpace": [
            "statfs", "fstatfs", "statvfs", "fstatvfs", "volumeAvailableCapacityKey",
            "volumeAvailableCapacityForImportantUsageKey", "systemFreeSize", "systemSize",
        ],
        "NSPrivacyAccessedAPICategorySystemBootTime": ["systemUptime", "mach_absolute_time"],
        "NSPrivacyAccessedAPICategoryUserDefaults": ["UserDefaults"],
        "NSPrivacyAccessedAPICategoryActiveKeyboards": ["activeInputModes"],
    ]

    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test(
        "Each library says why it calls what needs a reason",
        arguments: [
            "Sources/IdentityKit", "Sources/OAuthKit", "Providers/ThunderID", "Providers/ThunderIDSwiftUI",
            "Providers/InsForge", "Providers/OpenIDConnect",
        ])
    func manifestAgrees(library: String) throws {
        let folder = Self.package.appendingPathComponent(library)
        let sources = try source(of: folder)
        let used = Set(
            Self.functions.filter { _, names in names.contains { uses($0, sources) } }.map(\.key))
        #expect(try declared(in: folder) == used)
    }

    @Test("A call is noticed, and a word in a comment is not")
    func callsAreNoticed() {
        #expect(uses("statfs", "guard statfs(path, &status) == 0"))
        #expect(uses("UserDefaults", "UserDefaults.standard"))
        #expect(!uses("stat", "let status = 1"))
        #expect(!uses("statfs", withoutComments("// Not statfs.")))
    }

    private func uses(_ name: String, _ source: String) -> Bool {
        source.range(of: #"\b\#(name)\b"#, options: .regularExpression) != nil
    }

    private func source(of folder: URL) throws -> String {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        return try paths.map {
            withoutComments(try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
        }.joined(separator: "\n")
    }

    private func withoutComments(_ source: String) -> String {
        source.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//") }.joined(separator: "\n")
    }

    private func declared(in folder: URL) throws -> Set<String> {
        let manifest = folder.appendingPathComponent("Resources/PrivacyInfo.xcprivacy")
        guard let bytes = try? Data(contentsOf: manifest) else { return [] }
        let document = try #require(
            try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any])
        #expect(document["NSPrivacyTracking"] as? Bool == false)
        let entries = try #require(document["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        #expect(entries.allSatisfy { ($0["NSPrivacyAccessedAPITypeReasons"] as? [String])?.isEmpty == false })
        return Set(entries.compactMap { $0["NSPrivacyAccessedAPIType"] as? String })
    }
}
