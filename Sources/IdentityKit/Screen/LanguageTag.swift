/// A language tag (RFC 5646) that is looked up from specific to general: `de-AT`, then `de`.
package struct LanguageTag: Hashable, Sendable {
    /// Maximum length of a tag, in bytes of UTF-8.
    private static let maximumSize = 64

    /// The tag in lower case, with hyphens between its subtags; empty for a text that is too long.
    package let name: String

    /// Normalizes a tag.
    /// - Parameter text: a tag, or the name of a locale such as `de_AT`. A text of more than 64 bytes yields an empty
    ///   tag, which has no ``lookups``.
    package init(_ text: String) {
        let isTag = text.utf8.count <= Self.maximumSize
        name = isTag ? text.split { $0 == "-" || $0 == "_" }.joined(separator: "-").lowercased() : ""
    }

    /// The first subtag, which names the language, such as `de` for `de-AT`.
    package var base: String { String(name.prefix { $0 != "-" }) }

    /// The tag and its shorter prefixes, longest first, as in a lookup by RFC 4647 section 3.4. Unlike in that lookup,
    /// prefixes that end with a single-letter subtag are not skipped.
    package var lookups: [String] {
        let parts = name.split(separator: "-")
        return parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
    }
}
