import Foundation

/// The redirect addresses that a project allows (Backends/InsForge.md#redirect-addresses).
struct RedirectAllowList {
    /// Exact addresses, and globs. `*` matches any characters except `/`, `**` any characters, `?` one character except `/`,
    /// `[…]` one of the listed characters, and `[!…]` one unlisted character.
    let entries: [String]

    /// Whether the list allows `target`. An empty list allows everything; any other list refuses a text that is not an
    /// absolute address.
    func allows(_ target: String) -> Bool {
        guard !entries.isEmpty else { return true }
        guard let target = Self.normalized(target) else { return false }
        return entries.contains { entry in
            if entry.contains(where: "*?[]".contains) {
                (try? Regex(Self.pattern(for: entry)))?.matches(whole: target) ?? false
            } else {
                Self.normalized(entry) == target
            }
        }
    }

    /// Returns the address as ``WebURL`` prints it, without the last character if that is a slash; `nil` if the address is
    /// not absolute.
    private static func normalized(_ text: String) -> String? {
        WebURL(text).map { $0.href.hasSuffix("/") ? String($0.href.dropLast()) : $0.href }
    }

    private static func pattern(for glob: String) -> String {
        var pattern = ""
        var rest = glob[...]
        while let character = rest.popFirst() {
            switch character {
            case "*" where rest.first == "*":
                rest.removeFirst()
                pattern += ".*"
            case "*": pattern += "[^/]*"
            case "?": pattern += "[^/]"
            case "[":
                guard let end = rest.firstIndex(of: "]") else { fallthrough }
                let members = rest[..<end].replacingOccurrences(of: "\\", with: "\\\\")
                pattern += "[" + (members.hasPrefix("!") ? "^" + members.dropFirst() : members) + "]"
                rest = rest[rest.index(after: end)...]
            default: pattern += NSRegularExpression.escapedPattern(for: String(character))
            }
        }
        return pattern
    }
}

extension Regex {
    fileprivate func matches(whole text: String) -> Bool { (try? wholeMatch(in: text)) != nil }
}
