import Foundation

/// The package's own Swift files, for tests of what stands in one place alone.
package enum SourceFiles {
    /// Paths and texts of the Swift files of `Sources` and `Providers`.
    package static func all() throws -> [(path: String, text: String)] { try files.get() }

    private static let files = Result {
        try ["Sources", "Providers"].flatMap { folder in
            let root = PackageFolder.url.appendingPathComponent(folder)
            let paths = FileManager.default.enumerator(atPath: root.path)?.allObjects.compactMap { $0 as? String } ?? []
            return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
                let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
                return (path: "\(folder)/\(path)", text: text)
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

    /// The paths of the files with code that matches the regular expression `pattern`, once for each match. Comments do not
    /// count.
    ///
    /// `NSRegularExpression` is several times as fast as `Regex` here, where each search reads megabytes.
    package static func places(of pattern: String) throws -> [String] {
        let expression = try NSRegularExpression(pattern: pattern)
        return try code.get().flatMap { file in
            let whole = NSRange(location: 0, length: file.code.utf16.count)
            let count = expression.numberOfMatches(in: file.code, range: whole)
            return Array(repeating: file.path, count: count)
        }
    }
}
