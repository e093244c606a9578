#if os(Linux)
import Foundation
import TestSupport
import Testing

/// The table of outages in `Documentation/Robustness.md`.
enum OutagePage {
    private static let begin = "<!-- The table of outages: written by OutageTests -->"
    private static let end = "<!-- The end of the table of outages -->"

    static func table(_ columns: [OutageProvider: [Outage: Fate]]) -> String {
        let providers = OutageProvider.allCases
        let head = ["Outage"] + providers.map { "`\($0.rawValue)`" }
        let rows = Outage.allCases.map { outage in
            [outage.rawValue] + providers.map { columns[$0]?[outage]?.rawValue ?? "" }
        }
        return ([head, head.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |" }
            .joined(separator: "\n")
    }

    /// Compares the page with what it should say, or writes it.
    static func compare(_ content: String) throws {
        let file = PackageFolder.url.appendingPathComponent("Documentation/Robustness.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: begin)).upperBound
        let stop = try #require(text.range(of: end)).lowerBound
        let wanted = "\(text[..<start])\n\n\(content)\n\n\(text[stop...])"
        if ProcessInfo.processInfo.environment["SWIFT_IDENTITY_RECORD"] == "1" {
            try wanted.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(text == wanted)
        }
    }
}
#endif
