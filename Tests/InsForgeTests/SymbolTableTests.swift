import Foundation
import Testing

/// The article that maps symbols and defects to tests says the truth.
@Suite struct SymbolTableTests {
    /// A row of a table of the article.
    struct Row: Sendable, CustomStringConvertible {
        let subject: String
        let test: String

        var description: String { subject }
    }

    private static let article = "Providers/InsForge/InsForge.docc/SymbolsAndTests.md"

    private static func rows() throws -> [Row] {
        try Source.text(article).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("| "), cells.count == 2, cells[1] != "Test" else { return nil }
            return Row(subject: cells[0], test: cells[1])
        }
    }

    @Test("Every row names a test that exists")
    func tests() throws {
        let sources = try ["Tests/InsForgeTests", "Tests/ProviderTests"].flatMap { try Source.files(in: $0) }.map(\.1)
            .joined()
        let rows = try Self.rows()
        #expect(rows.count > 80)
        for row in rows {
            #expect(sources.contains("\"\(row.test)\""), "\(row.subject): there is no test \"\(row.test)\"")
        }
    }

    @Test("Each of the forty defects has a row and a test of its number")
    func defects() throws {
        let rows = try Self.rows().filter { $0.subject.hasPrefix("D") }
        #expect(rows.map { String($0.subject.prefix { $0 != " " }) } == (1...40).map { "D\($0)" })
        for row in rows {
            let number = row.subject.prefix { $0 != " " }
            #expect(row.test.hasPrefix("defect \(number): "))
        }
    }

    @Test("Every public method of the client has a row")
    func methods() throws {
        let article = try Source.text(Self.article)
        for (file, text) in try Source.files(in: "Providers/InsForge/Client") where file.hasPrefix("InsForgeAuthClient")
        {
            for match in text.matches(of: /\n    public func ([a-zA-Z]+)\(/) {
                #expect(article.contains("/\(match.1)("), "\(match.1) in \(file)")
            }
        }
    }
}
