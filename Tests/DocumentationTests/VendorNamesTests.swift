import Foundation
import Testing

/// The tables of the migration pages, and the programs that name what is the same.
@Suite struct VendorNamesTests {
    /// A vendor's list, the page with its table, and the programs that CI compiles.
    struct Vendor: Sendable, CustomStringConvertible {
        let list: String
        let page: String
        let programs: [String]

        var description: String { list }
    }

    static let vendors = [
        Vendor(
            list: "ThunderID", page: "Providers/ThunderID/ThunderID.docc/MigratingFromThunderID.md",
            programs: [
                "Names/App/ThunderIDNames.swift", "Names/App/DocumentedCalls.swift",
                "ThunderIDComponents/App/ComponentsView.swift",
            ]),
        Vendor(
            list: "InsForge", page: "Providers/InsForge/InsForge.docc/MigratingFromInsForge.md",
            programs: ["Names/App/InsForgeNames.swift"]),
    ]

    private static let heading = "### Name by name"

    private func names(_ vendor: Vendor) throws -> VendorNames {
        try VendorNames(text("Tests/VendorNames/\(vendor.list).txt"))
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Documents.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// To refresh the tables after a change of a list: `SWIFT_IDENTITY_RECORD=1 swift test --filter VendorNames`.
    @Test("Each migration page has the table of its list", arguments: vendors)
    func table(vendor: Vendor) throws {
        let page = try text(vendor.page)
        let table = try names(vendor).table
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let heading = try #require(lines.firstIndex(of: Substring(Self.heading)))
        let start = try #require(lines[heading...].firstIndex { $0.hasPrefix("|") })
        let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
        if ProcessInfo.processInfo.environment["SWIFT_IDENTITY_RECORD"] == "1" {
            let written = lines[..<start].map(String.init) + [table] + lines[end...].map(String.init)
            let file = Documents.root.appendingPathComponent(vendor.page)
            try written.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(lines[start..<end].joined(separator: "\n") == table)
        }
    }

    @Test("A program names every name that is the same, so that the compiler proves it", arguments: vendors)
    func programs(vendor: Vendor) throws {
        let programs = try vendor.programs.map { try text("Tests/AppleSamples/\($0)") }.joined()
        let words = Set(programs.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
        let same = try names(vendor).same
        #expect(same.count > 60)
        for name in same { #expect(words.contains(Substring(name)), "\(name) is in no program") }
    }
}
