import Foundation
import IdentityKit

/// The layout of a step: `data.meta` of a flow's response.
///
/// Administrators write it and the server does not validate it, so unknown parts are ignored.
struct FlowLayout: Sendable {
    private let components: [JSONValue]
    /// Components by the identifier of the input that they describe. For several components of one input, the first is
    /// used. The dictionary avoids a search through all components for each input.
    private let inputs: [String: JSONValue]
    private let buttons: [String: JSONValue]
    private let links: [String: JSONValue]
    private let texts: FlowTexts
    /// The whole layout, with its texts resolved; `nil` if the server sends none.
    let meta: FlowMeta?

    init(_ meta: JSONValue?, texts: FlowTexts) {
        self.texts = texts
        // Some flows store the layout as a JSON text.
        let meta = meta?.stringValue.flatMap { try? JSONValue(parsing: Data($0.utf8)) } ?? meta
        self.meta = meta.map { FlowMeta($0, texts: texts) }
        components = Self.flattened(meta?["components"]?.arrayValue ?? [], depth: 0)
        func named(_ components: [JSONValue], _ name: (JSONValue) -> String?) -> [String: JSONValue] {
            Dictionary(components.compactMap { component in name(component).map { ($0, component) } }) { first, _ in
                first
            }
        }
        inputs = named(components.filter { !["ACTION", "RICH_TEXT"].contains(Self.type(of: $0)) }) {
            $0["ref"]?.stringValue
        }
        buttons = named(components.filter { Self.type(of: $0) == "ACTION" }) { $0["id"]?.stringValue }
        links = named(components.filter { Self.type(of: $0) == "RICH_TEXT" }) { $0["action"]?["ref"]?.stringValue }
    }

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

    /// Returns the label of an input. Its component has the input's identifier in `ref`.
    func label(ofInput identifier: String) -> String? {
        text("label", of: inputs[identifier])
    }

    func placeholder(ofInput identifier: String) -> String? {
        text("placeholder", of: inputs[identifier])
    }

    /// Returns the label of an action. A button has the action's `ref` in `id`, and a link has it in `action.ref`.
    func label(ofAction ref: String) -> String? {
        if let label = text("label", of: buttons[ref]) { return label }
        return text("label", of: links[ref])?.withoutMarkup.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns the event type of an action's button: `SUBMIT` or `TRIGGER`.
    func eventType(ofAction ref: String) -> String? { buttons[ref]?["eventType"]?.stringValue }

    /// Returns the prominence of an action's button, such as `PRIMARY`; `nil` if the layout has none.
    func variant(ofAction ref: String) -> String? { buttons[ref]?["variant"]?.stringValue }

    /// Returns the picture of an action's button, from `startIcon` or else `image`: an address or a file name.
    func icon(ofAction ref: String) -> String? {
        ["startIcon", "image"].lazy.compactMap { text($0, of: buttons[ref]) }.first { !$0.isEmpty }
    }

    var headings: [String] {
        components.filter {
            Self.type(of: $0) == "TEXT" && $0["variant"]?.stringValue?.hasPrefix("HEADING") == true
        }.compactMap { text("label", of: $0) }
    }

    /// The texts that are neither labels nor headings, in order. A rich text that refers to an action is left out, because it
    /// is the label of that action.
    var paragraphs: [FlowParagraph] {
        components.compactMap { component in
            switch Self.type(of: component) {
            case "TEXT" where component["variant"]?.stringValue?.hasPrefix("HEADING") != true:
                text("label", of: component).map { FlowParagraph(parts: [FlowParagraph.Part(text: $0, address: nil)]) }
            case "RICH_TEXT" where component["action"]?["ref"] == nil:
                text("label", of: component).flatMap(RichText.paragraph)
            default: nil
            }
        }
    }

    /// Returns the texts to copy. The `source` of a component is the text's key in `additionalData`.
    func copyables(from additionalData: [String: String]) -> [FlowCopyable] {
        components.filter { Self.type(of: $0) == "COPYABLE_TEXT" }.compactMap { component in
            component["source"]?.stringValue.flatMap { additionalData[$0] }.map {
                FlowCopyable(label: text("label", of: component), text: $0)
            }
        }
    }

    private static func type(of component: JSONValue) -> String { component["type"]?.stringValue ?? "" }

    private func text(_ name: String, of component: JSONValue?) -> String? {
        component?[name]?.stringValue.flatMap(texts.resolve)
    }

    /// Returns the components and their descendants, down to 32 levels, in display order.
    private static func flattened(_ components: [JSONValue], depth: Int) -> [JSONValue] {
        guard depth < 32 else { return [] }
        return components.flatMap { component in
            [component] + flattened(component["components"]?.arrayValue ?? [], depth: depth + 1)
        }
    }
}
