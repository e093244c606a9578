import IdentityKit

struct LanguageChoice: Sendable, Equatable {
    let languages: [String]
    /// The offered language that matches the language of the views, such as `de` for `de-AT`; `nil` if none matches.
    let selected: String?

    /// Creates a choice in which each language occurs once.
    /// - Parameters:
    ///   - locales: the languages to offer; empty for all of `available`.
    ///   - active: the language of the views.
    ///   - available: the languages in which this library has texts.
    init(_ locales: [String], active: String, available: Set<String> = StringCatalog.own.languages) {
        var seen: Set<LanguageTag> = []
        let languages = (locales.isEmpty ? available.sorted() : locales).filter {
            seen.insert(LanguageTag($0)).inserted
        }
        self.languages = languages
        // For `de-AT`, select `de` if `de-AT` itself is not offered.
        selected =
            LanguageTag(active).lookups.lazy.compactMap { tag in
                languages.first { LanguageTag($0).name == tag }
            }.first
    }
}
