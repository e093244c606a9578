import Foundation
import IdentityKit

/// How a step is laid out: `data.meta` of a flow's answer (contract 1.3).
///
/// Administrators write it and the server checks nothing of it, so what is not understood is passed over.
struct FlowLayout: Sendable {
    private let components: [JSONValue]
    private let texts: FlowTexts

    init(_ meta: JSONValue?, texts: FlowTexts) {
        self.texts = texts
        // Some flows keep it as a text.
        let meta = meta?.stringValue.flatMap { try? JSONValue(parsing: Data($0.utf8)) } ?? meta
        components = Self.flattened(meta?["components"]?.arrayValue ?? [], depth: 0)
    }

    /// Whether `meta` has labels that need translations.
    static func hasTemplates(_ meta: JSONValue?) -> Bool {
        func search(_ value: JSONValue) -> Bool {
            switch value {
            case .string(let text): text.contains("{{")
            case .array(let values): values.contains(where: search)
            case .object(let members): members.values.contains(where: search)
            default: false
            }
        }
        return meta.map(search) ?? false
    }

    /// What to write beside an input. A component names the input's identifier in `ref`.
    func label(ofInput identifier: String) -> String? {
        text("label", of: input(identifier))
    }

    /// What to show in an empty input.
    func placeholder(ofInput identifier: String) -> String? {
        text("placeholder", of: input(identifier))
    }

    /// What to write on an action. A button names the action's `ref` in `id`, a link in `action.ref`.
    func label(ofAction ref: String) -> String? {
        let button = components.first { type(of: $0) == "ACTION" && $0["id"]?.stringValue == ref }
        if let label = text("label", of: button) { return label }
        let link = components.first { type(of: $0) == "RICH_TEXT" && $0["action"]?["ref"]?.stringValue == ref }
        return text("label", of: link).map(Self.withoutMarkup)
    }

    /// The headings of the step, in order.
    var headings: [String] {
        components.filter {
            type(of: $0) == "TEXT" && $0["variant"]?.stringValue?.hasPrefix("HEADING") == true
        }.compactMap { text("label", of: $0) }
    }

    /// Texts to copy. A component names the text's key in `additionalData`.
    func copyables(from additionalData: [String: String]) -> [FlowCopyable] {
        components.filter { type(of: $0) == "COPYABLE_TEXT" }.compactMap { component in
            component["source"]?.stringValue.flatMap { additionalData[$0] }.map {
                FlowCopyable(label: text("label", of: component), text: $0)
            }
        }
    }

    private func input(_ identifier: String) -> JSONValue? {
        components.first {
            $0["ref"]?.stringValue == identifier && !["ACTION", "RICH_TEXT"].contains(type(of: $0))
        }
    }

    private func type(of component: JSONValue) -> String { component["type"]?.stringValue ?? "" }

    private func text(_ name: String, of component: JSONValue?) -> String? {
        component?[name]?.stringValue.flatMap(texts.resolve)
    }

    private static func withoutMarkup(_ html: String) -> String {
        html.replacing(/<[^>]*>/, with: "").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The tree in the order it is shown. Nobody lays out a step deeper than this.
    private static func flattened(_ components: [JSONValue], depth: Int) -> [JSONValue] {
        guard depth < 32 else { return [] }
        return components.flatMap { component in
            [component] + flattened(component["components"]?.arrayValue ?? [], depth: depth + 1)
        }
    }
}
