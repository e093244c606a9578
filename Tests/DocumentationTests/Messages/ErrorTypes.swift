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
            $0.contains(/IdentityFailure|StatedFailure|ErrorReason/)
        }
        let names = Set(files.flatMap(conforming)).subtracting(exempt)
        return Set(files.flatMap { declared(names, in: $0) })
    }

    /// Names of the types whose declaration or extension says that they conform.
    private static func conforming(in text: String) -> [String] {
        text.matches(of: /(?:enum|struct|class|actor|extension) (\w+): ([^{}]*)\{/).compactMap { match in
            match.2.contains(/\b(?:IdentityFailure|StatedFailure|ScreenAdvice|ErrorReason)\b/) ? String(match.1) : nil
        }
    }

    /// Entries of ``all()`` for the types of `names` that a file declares.
    private static func declared(_ names: Set<String>, in text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.flatMap { index -> [String] in
            guard let (keyword, name) = lines[index].declaredType, names.contains(name) else { return [] }
            return keyword == "enum" ? cases(of: name, declaredAt: index, in: lines) : [name]
        }
    }

    private static func cases(of name: String, declaredAt start: Int, in lines: [Substring]) -> [String] {
        let indentation = String(lines[start].prefix { $0 == " " })
        return lines[(start + 1)...].prefix { $0 != indentation + "}" }.flatMap { line -> [String] in
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
    /// The keyword and the name of the type that this line declares.
    fileprivate var declaredType: (keyword: Substring, name: String)? {
        let words = split(separator: " ")
        guard words.first?.hasPrefix("//") == false,
            let index = words.firstIndex(where: { ["struct", "class", "actor", "enum"].contains($0) }),
            index + 1 < words.count
        else { return nil }
        return (words[index], String(words[index + 1].prefix { $0 != ":" && $0 != "<" }))
    }
}
