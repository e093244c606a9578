import Foundation

/// The package's own Swift files, for tests of what stands in one place alone.
package enum SourceFiles {
    /// Paths and texts of the Swift files of `Sources` and `Providers`.
    package static func all() throws -> [(path: String, text: String)] {
        try ["Sources", "Providers"].flatMap { folder in
            let root = PackageFolder.url.appendingPathComponent(folder)
            let paths = FileManager.default.enumerator(atPath: root.path)?.allObjects.compactMap { $0 as? String } ?? []
            return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
                ("\(folder)/\(path)", try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
            }
        }
    }

    /// Paths and code of all files, without the lines that are comments.
    private static let code = Result {
        try all().map { file in
            let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
            return (
                path: file.path,
                code: lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
            )
        }
    }

    /// The paths of the files with code that matches `pattern`, once for each match. Comments do not count.
    package static func places(of pattern: some RegexComponent) throws -> [String] {
        try code.get().flatMap { file in file.code.matches(of: pattern).map { _ in file.path } }
    }
}
