import IdentityKit

struct LanguageChoice: Sendable, Equatable {
    let languages: [String]
    /// The offered language that the views use; `nil` if they use another one.
    let selected: String?

    /// - Parameters:
    ///   - locales: the languages to offer; empty for all with texts.
    ///   - active: the language of the views.
    init(_ locales: [String], active: String, available: Set<String> = StringCatalog.own.languages) {
        var seen: Set<LanguageTag> = []
        let languages = (locales.isEmpty ? available.sorted() : locales).filter {
            seen.insert(LanguageTag($0)).inserted
        }
        self.languages = languages
        // For a person whose language is `de-AT`, the texts of `de` are used.
        selected =
            LanguageTag(active).lookups.lazy.compactMap { tag in
                languages.first { LanguageTag($0).name == tag }
            }.first
    }
}
