import Foundation
import TestSupport
import Testing

/// Apple wants to know why a library calls certain functions. What the sources call and what the manifest says must agree.
@Suite struct PrivacyManifestTests {
    /// The functions that need a reason, by category, as far as a library like this might call them.
    private static let functions: [String: [String]] = [
        "NSPrivacyAccessedAPICategoryFileTimestamp": [
            "stat", "fstat", "lstat", "fstatat", "getattrlist", "getattrlistbulk", "fgetattrlist", "getattrlistat",
            "contentModificationDateKey", "creationDateKey", "contentModificationDate", "fileModificationDate",
            "modificationDate", "creationDate", "fileCreationDate",
        ],
        "NSPrivacyAccessedAPICategoryDiskSpace": [
            "statfs", "fstatfs", "statvfs", "fstatvfs", "volumeAvailableCapacityKey",
            "volumeAvailableCapacityForImportantUsageKey", "volumeAvailableCapacityForOpportunisticUsageKey",
            "volumeTotalCapacityKey", "volumeAvailableCapacity", "volumeTotalCapacity", "systemFreeSize", "systemSize",
        ],
        "NSPrivacyAccessedAPICategorySystemBootTime": [
            "systemUptime", "mach_absolute_time", "mach_continuous_time", "KERN_BOOTTIME",
        ],
        "NSPrivacyAccessedAPICategoryUserDefaults": ["UserDefaults"],
        "NSPrivacyAccessedAPICategoryActiveKeyboards": ["activeInputModes"],
    ]

    /// The reasons that Apple accepts, by category.
    private static let reasons: [String: Set<String>] = [
        "NSPrivacyAccessedAPICategoryFileTimestamp": ["DDA9.1", "C617.1", "3B52.1", "0A2A.1"],
        "NSPrivacyAccessedAPICategoryDiskSpace": ["85F4.1", "E174.1", "7D9E.1", "B728.1"],
        "NSPrivacyAccessedAPICategorySystemBootTime": ["35F9.1", "8FFB.1", "3D61.1"],
        "NSPrivacyAccessedAPICategoryUserDefaults": ["CA92.1", "1C8F.1", "C56D.1", "AC6B.1"],
        "NSPrivacyAccessedAPICategoryActiveKeyboards": ["3EC4.1", "54BD.1"],
    ]

    /// What a program may link, those for tests and servers included: nothing keeps an app from linking them.
    private static let libraries = [
        "Sources/SwiftIdentity", "Sources/IdentityCore", "Sources/IdentityKit", "Sources/IdentityOAuth",
        "Sources/IdentitySwiftUI",
        "Providers/ThunderID",
        "Providers/ThunderIDSwiftUI", "Providers/InsForge", "Providers/OAuth", "Providers/Presets",
        "Sources/IdentityTerminal", "Sources/IdentityPostgres",
        "Sources/IdentityObservability",
        "Sources/IdentityTesting", "Sources/IdentityLocalServers", "Sources/IdentityTool",
    ]

    /// Names of libraries whose folder is called otherwise.
    private static let names = [
        "Providers/OAuth": "IdentityOAuthProviders", "Providers/Presets": "IdentityPresets",
    ]

    private static func name(of folder: String) -> String {
        names[folder] ?? URL(fileURLWithPath: folder).lastPathComponent
    }

    /// Targets that are no products, by the library whose manifest speaks for them: the programs that use them without it
    /// load no bundle.
    private static let parts = [
        "Sources/IdentityKit": ["Sources/IdentityStoreFormat", "Sources/CIdentitySystem", "Sources/CIdentityCurl"],
        "Sources/IdentityPostgres": ["Sources/CIdentityPostgres"],
    ]

    private static let package = PackageFolder.url

    @Test("Each library says why it calls what needs a reason", arguments: libraries)
    func manifestAgrees(library: String) throws {
        let folder = Self.package.appendingPathComponent(library)
        let sources = try ([library] + (Self.parts[library] ?? []))
            .map { try source(of: Self.package.appendingPathComponent($0)) }.joined(separator: "\n")
        let used = Set(
            Self.functions.filter { _, names in names.contains { uses($0, sources) } }.map(\.key))
        #expect(try declared(in: folder) == used)
    }

    @Test("No library is forgotten, and a manifest travels with its library")
    func nothingForgotten() throws {
        let manifest = try String(
            contentsOf: Self.package.appendingPathComponent("Package.swift"), encoding: .utf8)
        let names = Set(manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.output.1) })
        #expect(names == Set(Self.libraries.map(Self.name)))
        let file = "Resources/PrivacyInfo.xcprivacy"
        let having = Self.libraries.filter {
            FileManager.default.fileExists(atPath: Self.package.appendingPathComponent("\($0)/\(file)").path)
        }
        #expect(manifest.matches(of: /\.copy\("Resources\/PrivacyInfo.xcprivacy"\)/).count == having.count)
    }

    @Test("What a library is built from is listed with a library that it depends on")
    func partsAreListed() throws {
        let manifest = try String(
            contentsOf: Self.package.appendingPathComponent("Package.swift"), encoding: .utf8)
        let targets = manifest.split(separator: "\n        .target(").dropFirst()
        let local = Set(manifest.matches(of: /\.(?:target|systemLibrary)\(\s*name: "(\w+)"/).map(\.output.1))
        let listed = Set((Self.libraries + Self.parts.values.joined()).map(Self.name))
        for library in Self.libraries {
            let name = Self.name(of: library)
            let target = try #require(
                targets.first {
                    $0.trimmingPrefix(while: \.isWhitespace).hasPrefix("name: \"\(name)\"")
                })
            let line = target.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.output.1 ?? ""
            // Packages of others speak for themselves.
            let own = line.matches(of: /"(\w+)"/).map(\.output.1).filter(local.contains)
            #expect(own.allSatisfy { listed.contains(String($0)) }, "\(name): \(own)")
            // The library that speaks for a part comes with every library that links the part.
            for (speaker, parts) in Self.parts where speaker != library {
                let unspoken = own.filter { part in parts.contains { Self.name(of: $0) == part } }
                #expect(unspoken.isEmpty || own.contains { Self.name(of: speaker) == $0 }, "\(name): \(unspoken)")
            }
        }
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
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
            [".swift", ".c", ".h"].contains(where: $0.hasSuffix)
        }
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
        for entry in entries {
            let category = try #require(entry["NSPrivacyAccessedAPIType"] as? String)
            let given = Set(try #require(entry["NSPrivacyAccessedAPITypeReasons"] as? [String]))
            #expect(!given.isEmpty && given.isSubset(of: Self.reasons[category] ?? []), "\(category)")
        }
        return Set(entries.compactMap { $0["NSPrivacyAccessedAPIType"] as? String })
    }
}
