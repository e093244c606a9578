import Foundation
import IdentityKit

/// The response of `GET /flow/meta` about an application: its name and branding, and the texts of its flows.
public struct FlowTexts: Sendable, Equatable {
    public let document: [String: JSONValue]

    /// The texts by key without namespace. For a key in several namespaces, the text of the alphabetically first
    /// namespace is used.
    private let textsByKey: [String: String]

    public init(document: [String: JSONValue] = [:]) {
        self.document = document
        let translations = document["i18n"]?["translations"]?.objectValue ?? [:]
        var texts: [String: String] = [:]
        for (_, namespace) in translations.sorted(by: { $0.key < $1.key }) {
            let named = namespace.objectValue?.compactMapValues(\.stringValue) ?? [:]
            texts.merge(named) { first, _ in first }
        }
        textsByKey = texts
    }

    /// Whether people can register; `nil` if the response does not say.
    public var isRegistrationFlowEnabled: Bool? { document["isRegistrationFlowEnabled"]?.boolValue }
    /// Whether people can recover their password; `nil` if the response does not say.
    public var isRecoveryFlowEnabled: Bool? { document["isRecoveryFlowEnabled"]?.boolValue }
    /// The language of the texts, such as `en-US`; `nil` if the response does not say.
    public var language: String? { document["i18n"]?["language"]?.stringValue }
    var isEnglish: Bool { language?.lowercased().hasPrefix("en") ?? false }
    /// The languages in which the server has texts; empty if the response does not say.
    public var languages: [String] {
        document["i18n"]?["languages"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    /// Returns the text of a template, with its placeholders replaced.
    ///
    /// A placeholder is `{{ t(namespace:key) }}` for a translation, or `{{ meta(path.to.value) }}` for a value of the
    /// response.
    /// - Returns: the text without white space at both ends. `nil` if the text is empty then, a placeholder cannot be
    ///   resolved, the template has more than 16 KiB or 256 placeholders, or the text is more than 16 KiB longer than
    ///   the template.
    public func resolve(_ template: String) -> String? {
        guard template.utf8.count <= TemplateText.maximumSize else { return nil }
        var text = TemplateText(template)
        let filled = text.filled(["t", "meta"]) { $0 == "t" ? translation($1) : value(at: $1) }
        let shown = filled?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return shown.isEmpty ? nil : shown
    }

    /// Returns the translation of `namespace:key`, or of a key without a namespace; `nil` if it is unknown.
    func translation(_ name: String) -> String? {
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return text(forErrorKey: name) }
        return translations[parts[0]]?[parts[1]]?.stringValue
    }

    /// Returns the translation of an error's key; `nil` if it is unknown. The text before the first period is taken as
    /// the namespace. If this finds nothing, the whole key is searched in all namespaces.
    func text(forErrorKey key: String) -> String? {
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
        if parts.count == 2, let text = translations[parts[0]]?[parts[1]]?.stringValue { return text }
        return textsByKey[key]
    }

    /// Returns the translation of an error's text; `nil` if there is none, or if it is too long or has too many
    /// placeholders. Placeholders `{{param(name)}}` are replaced by the error's parameters, or removed if the parameter
    /// is missing.
    func text(for text: APIError.Text?) -> String? {
        guard let key = text?.key, let translated = self.text(forErrorKey: key),
            translated.utf8.count <= TemplateText.maximumSize
        else { return nil }
        var template = TemplateText(translated)
        return template.filled(["param"]) { text?.params?[$1] ?? "" }
    }

    private var translations: [String: JSONValue] { document["i18n"]?["translations"]?.objectValue ?? [:] }

    private func value(at path: String) -> String? {
        var value: JSONValue? = .object(document)
        for name in path.split(separator: ".") { value = value?[String(name)] }
        return value?.stringValue
    }
}
