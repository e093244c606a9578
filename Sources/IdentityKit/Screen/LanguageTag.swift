/// A language tag (RFC 5646) that is looked up from specific to general: `de-AT`, then `de`.
package struct LanguageTag: Hashable, Sendable {
    /// Limit of a tag in characters; no registered tag or system locale is longer.
    private static let maximumSize = 64

    /// The tag in lower case, with hyphens.
    package let name: String

    /// Normalizes a tag.
    /// - Parameter text: a tag, or a name of a locale such as `de_AT`. An invalid tag matches no texts.
    package init(_ text: String) {
        let isTag = text.utf8.count <= Self.maximumSize
        name = isTag ? text.split { $0 == "-" || $0 == "_" }.joined(separator: "-").lowercased() : ""
    }

    /// The language alone, such as `de` for `de-AT`.
    package var base: String { String(name.prefix { $0 != "-" }) }

    /// The tag, followed by shorter tags without its last subtags (RFC 4647 section 3.4).
    package var lookups: [String] {
        let parts = name.split(separator: "-")
        return parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
    }
}
