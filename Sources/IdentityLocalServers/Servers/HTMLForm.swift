import Foundation

/// A form of an HTML page, parsed just well enough to submit sign-in pages that need no script.
struct HTMLForm: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        let name: String
        let value: String
        /// The `type` attribute in lower case. If it is missing, the type is `submit` for a `button`, and `text` for any other
        /// field.
        let type: String
    }

    /// The target of the form, as written in the page but with character references decoded; empty if the form has none.
    let action: String
    let method: String
    let fields: [Field]

    static func forms(in page: String) -> [HTMLForm] {
        page.components(separatedBy: "<form").dropFirst().map { text in
            let content = text.components(separatedBy: "</form").first ?? text
            let tags = tags(in: "<form" + content)
            let form = tags.first?.attributes ?? [:]
            return HTMLForm(
                action: form["action"] ?? "", method: (form["method"] ?? "get").uppercased(),
                fields: tags.dropFirst().compactMap(field))
        }
    }

    private static func field(_ tag: Tag) -> Field? {
        guard ["input", "button", "textarea"].contains(tag.name), let name = tag.attributes["name"] else { return nil }
        let type = tag.attributes["type"]?.lowercased() ?? (tag.name == "button" ? "submit" : "text")
        // A browser does not send checkboxes and radio buttons that are not checked.
        if ["checkbox", "radio"].contains(type), tag.attributes["checked"] == nil { return nil }
        let value = tag.attributes["value"] ?? (type == "checkbox" ? "on" : "")
        return Field(name: name, value: value, type: type)
    }

    private struct Tag {
        let name: String
        let attributes: [String: String]
    }

    private static func tags(in text: String) -> [Tag] {
        text.components(separatedBy: "<").dropFirst().compactMap { piece in
            var rest = piece[...]
            let name = rest.prefix { $0.isLetter }
            guard !name.isEmpty else { return nil }
            rest = rest.dropFirst(name.count)
            return Tag(name: name.lowercased(), attributes: attributes(in: rest))
        }
    }

    private static func attributes(in text: Substring) -> [String: String] {
        var attributes: [String: String] = [:]
        var rest = text
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "/" }
            guard let first = rest.first, first != ">" else { return attributes }
            let name = rest.prefix { !$0.isWhitespace && $0 != "=" && $0 != ">" && $0 != "/" }
            guard !name.isEmpty else { return attributes }
            rest = rest.dropFirst(name.count).drop { $0.isWhitespace }
            var value = ""
            if rest.first == "=" {
                rest = rest.dropFirst().drop { $0.isWhitespace }
                if let quote = rest.first, quote == "\"" || quote == "'" {
                    value = String(rest.dropFirst().prefix { $0 != quote })
                    rest = rest.dropFirst(value.count + 2)
                } else {
                    value = String(rest.prefix { !$0.isWhitespace && $0 != ">" })
                    rest = rest.dropFirst(value.count)
                }
            }
            attributes[name.lowercased()] = unescaped(value)
        }
    }

    private static func unescaped(_ text: String) -> String {
        let names = [
            "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#34;": "\"", "&#39;": "'", "&#x27;": "'", "&#43;": "+",
        ]
        return names.reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
            .replacingOccurrences(of: "&amp;", with: "&")
    }
}
