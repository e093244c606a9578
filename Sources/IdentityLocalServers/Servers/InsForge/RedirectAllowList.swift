import Foundation

/// Addresses that a project lets people be sent to (Backends/InsForge.md#redirect-addresses).
struct RedirectAllowList {
    /// Exact addresses, and globs: `*` stays within a path segment, `**` does not, `?` is one character, `[…]` a class.
    let entries: [String]

    /// Whether `target` is allowed; everything is when the list is empty.
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

    /// The address as printed by its parser, without one trailing slash.
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
