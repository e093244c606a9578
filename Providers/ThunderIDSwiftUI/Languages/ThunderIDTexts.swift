import IdentityKit

/// The texts of the views in one language: those of the app, or else those of this library.
///
/// A text that is missing in ``language`` is looked up in the language without its region, then in
/// ``fallbackLanguage``, then in this library's English texts. Texts from the server in the person's language take
/// precedence over all of these.
public struct ThunderIDTexts: Sendable, Equatable {
    /// The language as a BCP 47 tag.
    public let language: String

    /// The language of texts that ``language`` lacks.
    public let fallbackLanguage: String

    /// The app's texts by key, for each language tag in lower case.
    private let overrides: [String: [String: String]]

    private let catalog: StringCatalog

    /// Creates the texts of a language.
    /// - Parameters:
    ///   - language: a BCP 47 tag.
    ///   - overrides: the app's own texts, by language and by the raw value of their ``TextKey``.
    ///   - fallbackLanguage: the language of texts that `language` lacks.
    public init(
        language: String, overrides: [String: [String: String]] = [:], fallbackLanguage: String = "en-US"
    ) {
        self.init(
            language: language, overrides: overrides, fallbackLanguage: fallbackLanguage, catalog: StringCatalog.own)
    }

    init(
        language: String, overrides: [String: [String: String]] = [:], fallbackLanguage: String = "en-US",
        catalog: StringCatalog
    ) {
        self.language = language
        self.fallbackLanguage = fallbackLanguage
        self.overrides = Dictionary(overrides.map { (LanguageTag($0.key).name, $0.value) }) { first, second in
            first.merging(second) { first, _ in first }
        }
        self.catalog = catalog
    }

    /// Returns a copy in another language, with the same texts of the app and the same fallback.
    /// - Parameter language: a BCP 47 tag.
    public func inLanguage(_ language: String) -> ThunderIDTexts {
        ThunderIDTexts(
            language: language, overrides: overrides, fallbackLanguage: fallbackLanguage, catalog: catalog)
    }

    /// Returns the text of a key, with values in place of its placeholders.
    /// - Parameters:
    ///   - key: the key of the text.
    ///   - values: the values for the placeholders `%@` in order, or for `%1$@` to `%9$@` by number.
    public func text(_ key: TextKey, _ values: String...) -> String {
        template(key.rawValue).filled(with: values)
    }

    /// Returns the text with this key, such as `signIn.button`, without its placeholders.
    /// - Returns: the text, or `key` itself if there is none.
    public func resolve(_ key: String) -> String {
        template(key).filled(with: [])
    }

    /// The translation of an English sentence in this library's String Catalog, such as an error message. The result is in
    /// English if neither the language nor the fallback has a translation, and `nil` if the catalog lacks the sentence.
    public func translation(of sentence: String) -> String? {
        guard let (key, values) = catalog.key(ofEnglish: sentence) else { return nil }
        return found(key).map { TextTemplate($0).filled(with: values) }
    }

    /// The text for an error code; `nil` if the language has none. For English, the result is always `nil`, because the error's
    /// own message is more specific.
    func meaning(of code: IAMErrorCode) -> String? {
        let (key, languages) = ("error.code.\(code.rawValue)", LanguageTag(language).lookups)
        guard languages.last != "en" else { return nil }
        return override(key, languages) ?? own(key, languages)
    }

    private func template(_ key: String) -> TextTemplate { TextTemplate(found(key) ?? key) }

    private func found(_ key: String) -> String? {
        let (chosen, fallback) = (LanguageTag(language), LanguageTag(fallbackLanguage))
        // If the fallback is the same language for another region, prefer the app's texts in the fallback to this library's
        // texts.
        let nearest = chosen.lookups + (chosen.base == fallback.base ? fallback.lookups : [])
        return override(key, nearest) ?? own(key, chosen.lookups) ?? override(key, fallback.lookups)
            ?? own(key, fallback.lookups + ["en"])
    }

    private func override(_ key: String, _ languages: [String]) -> String? {
        languages.lazy.compactMap { overrides[$0]?[key] }.first
    }

    private func own(_ key: String, _ languages: [String]) -> String? {
        languages.lazy.compactMap { catalog.text(key, in: $0) }.first
    }
}
