import Foundation
import IdentityKit

/// What `GET /flow/meta` says about an application (contract 4): its name and looks, and the texts that the labels of
/// flows refer to.
public struct FlowTexts: Sendable, Equatable {
    /// The whole answer.
    public let document: [String: JSONValue]

    /// Reads an answer.
    public init(document: [String: JSONValue] = [:]) {
        self.document = document
    }

    /// Whether people may register; `nil` when the answer does not say.
    public var isRegistrationFlowEnabled: Bool? { document["isRegistrationFlowEnabled"]?.boolValue }
    /// Whether people may recover their password; `nil` when the answer does not say.
    public var isRecoveryFlowEnabled: Bool? { document["isRecoveryFlowEnabled"]?.boolValue }
    /// The language of the texts.
    public var language: String? { document["i18n"]?["language"]?.stringValue }
    /// Whether the texts are in the language of this library's own.
    var isEnglish: Bool { language?.lowercased().hasPrefix("en") ?? false }
    /// The languages there are.
    public var languages: [String] {
        document["i18n"]?["languages"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    /// The text of a template: `{{ t(namespace:key) }}` is a translation, `{{ meta(path.to.value) }}` a value of the
    /// answer.
    /// - Returns: `nil` when there is nothing to show, because a name in it is not known.
    public func resolve(_ template: String) -> String? {
        var isComplete = true
        let text = template.replacing(/\{\{\s*(t|meta)\(\s*([^)]*?)\s*\)\s*\}\}/) { match -> String in
            let value = match.output.1 == "t" ? translation(String(match.output.2)) : value(at: String(match.output.2))
            if value == nil { isComplete = false }
            return value ?? ""
        }
        let shown = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return isComplete && !shown.isEmpty ? shown : nil
    }

    /// The translation of `namespace:key`.
    func translation(_ name: String) -> String? {
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return text(forErrorKey: name) }
        return translations[parts[0]]?[parts[1]]?.stringValue
    }

    /// The translation of an error's key, whose namespace is not named.
    func text(forErrorKey key: String) -> String? {
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
        if parts.count == 2, let text = translations[parts[0]]?[parts[1]]?.stringValue { return text }
        return translations.keys.sorted().lazy.compactMap { translations[$0]?[key]?.stringValue }.first
    }

    /// The translation of an error's text, with its parameters, `{{param(name)}}`, filled in.
    func text(for text: APIError.Text?) -> String? {
        guard let key = text?.key, let translated = self.text(forErrorKey: key) else { return nil }
        return translated.replacing(/\{\{\s*param\(\s*([^)]*?)\s*\)\s*\}\}/) { match in
            text?.params?[String(match.output.1)] ?? ""
        }
    }

    private var translations: [String: JSONValue] { document["i18n"]?["translations"]?.objectValue ?? [:] }

    private func value(at path: String) -> String? {
        var value: JSONValue? = .object(document)
        for name in path.split(separator: ".") { value = value?[String(name)] }
        return value?.stringValue
    }
}
