import IdentityKit

struct LanguageChoice: Sendable, Equatable {
    let languages: [String]
    /// The one of them that the views have; `nil` when it is none of them.
    let selected: String?

    /// - Parameters:
    ///   - locales: the languages to offer; empty for those that have texts.
    ///   - active: the language of the views.
    init(_ locales: [String], active: String, available: Set<String> = StringCatalog.own.languages) {
        var seen: Set<LanguageTag> = []
        let languages = (locales.isEmpty ? available.sorted() : locales).filter {
            seen.insert(LanguageTag($0)).inserted
        }
        self.languages = languages
        // A person whose language is `de-AT` reads the texts of `de`.
        selected =
            LanguageTag(active).lookups.lazy.compactMap { tag in
                languages.first { LanguageTag($0).name == tag }
            }.first
    }
}
