import Foundation
import IdentityKit

/// The texts of a String Catalog (`.xcstrings`) by language and key. All other content of the file, such as plural
/// variations, is ignored.
struct StringCatalog: Sendable, Equatable {
    /// The maximum size of a catalog, in bytes. Larger catalogs are ignored.
    static let maximumSize = 1 << 20
    /// The maximum size of a text, in bytes of UTF-8. Longer texts are ignored, because no view has room for them.
    static let maximumTextSize = 1 << 12

    static let own = StringCatalog(PackageResources.ThunderID_xcstrings)

    /// The texts by key, for each language tag in lower case.
    private let texts: [String: [String: String]]
    /// The keys of the texts without placeholders, by their English text.
    private let keys: [String: String]
    /// English texts with placeholders and their keys, longest first, so that the most specific text matches.
    private let templates: [(template: TextTemplate, key: String)]

    init(_ bytes: [UInt8]) {
        let document = bytes.count <= Self.maximumSize ? try? JSONValue(parsing: Data(bytes)) : nil
        var texts: [String: [String: String]] = [:]
        for (key, entry) in document?["strings"]?.objectValue ?? [:] {
            for (language, localization) in entry["localizations"]?.objectValue ?? [:] {
                guard let text = localization["stringUnit"]?["value"]?.stringValue, !text.isEmpty,
                    text.utf8.count <= Self.maximumTextSize
                else { continue }
                texts[LanguageTag(language).name, default: [:]][key] = text
            }
        }
        self.texts = texts
        let english = (texts["en"] ?? [:]).sorted { $0.key < $1.key }
            .map { (key: $0.key, text: $0.value, template: TextTemplate($0.value)) }
        keys = Dictionary(
            english.filter(\.template.isPlain).map { ($0.template.filled(with: []), $0.key) }
        ) { first, _ in first }
        templates = english.filter { !$0.template.isPlain }
            .sorted { $0.text.utf8.count > $1.text.utf8.count }.map { ($0.template, $0.key) }
    }

    var languages: Set<String> { Set(texts.keys) }

    func keys(in language: String) -> Set<String> { Set(texts[language]?.keys ?? [:].keys) }

    func text(_ key: String, in language: String) -> String? { texts[language]?[key] }

    /// The key of an English sentence, and the values of its placeholders; `nil` for an unknown or too long sentence.
    func key(ofEnglish sentence: String) -> (key: String, values: [String])? {
        guard sentence.utf8.count <= Self.maximumTextSize else { return nil }
        if let key = keys[sentence] { return (key, []) }
        for (template, key) in templates {
            if let values = template.values(in: sentence) { return (key, values) }
        }
        return nil
    }

    static func == (one: StringCatalog, other: StringCatalog) -> Bool { one.texts == other.texts }
}
