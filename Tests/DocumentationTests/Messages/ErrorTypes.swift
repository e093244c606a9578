import Foundation
import TestSupport

/// The error types that the sources declare: a list that nobody keeps cannot be behind.
enum ErrorTypes {
    /// Types that are compiled elsewhere, and why.
    static let exempt: Set<String> = [
        // The plug-in that `identity plugin new` writes, which IdentityKit's tests compile and run.
        "AcmeError"
    ]

    /// `Type` for each structure and `Type.case` for each case of an enumeration that conforms to one of the protocols of
    /// errors and their reasons.
    static func all() throws -> Set<String> {
        let files = try SourceFiles.all().map(\.text).filter {
            $0.contains("IdentityFailure") || $0.contains("ErrorReason")
        }
        let names = Set(files.flatMap(conforming)).subtracting(exempt)
        return Set(names.flatMap { name in files.flatMap { declared(name, in: $0) } })
    }

    /// Names of the types whose declaration or extension says that they conform.
    private static func conforming(in text: String) -> [String] {
        text.matches(of: /(?:enum|struct|class|actor|extension) (\w+): ([^{}]*)\{/).compactMap { match in
            match.2.contains(/\b(?:IdentityFailure|ScreenAdvice|ErrorReason)\b/) ? String(match.1) : nil
        }
    }

    private static func declared(_ name: String, in text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        let keywords = ["struct", "class", "actor", "enum"]
        guard
            let (start, keyword) = lines.indices.lazy.compactMap({ index in
                keywords.first { lines[index].hasDeclaration($0, of: name) }.map { (index, $0) }
            }).first
        else { return [] }
        guard keyword == "enum" else { return [name] }
        let indentation = String(lines[start].prefix { $0 == " " })
        lines = lines[(start + 1)...].prefix { $0 != indentation + "}" }
        return lines.flatMap { line -> [String] in
            // The formatter keeps the indentation, by which the cases of a `switch` are told apart.
            guard let match = line.wholeMatch(of: /( *)(?:indirect )?case (\w.*)/), match.1 == indentation + "    "
            else { return [] }
            let isList = !match.2.contains("(") && !match.2.contains("=")
            return match.2.split(separator: ",").prefix(isList ? .max : 1).map { part in
                "\(name).\(part.drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber })"
            }
        }
    }
}

extension Substring {
    fileprivate func hasDeclaration(_ keyword: String, of name: String) -> Bool {
        guard let range = range(of: "\(keyword) \(name)") else { return false }
        let next = self[range.upperBound...].first
        return !drop { $0 == " " }.hasPrefix("//") && (next == ":" || next == " " || next == "<")
    }
}
