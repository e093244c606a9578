import Foundation

/// Fills in the templates of prompts and errors, which refer to translations (`{{ t(…) }}`) and to values of the
/// application (`{{ meta(…) }}`).
struct GateTexts: Sendable {
    let application: LocalThunderIDServer.Application?

    /// The label with its templates replaced; `nil` if the label is absent or the result is empty.
    func text(_ template: String?) -> String? {
        guard let template else { return nil }
        let filled = template.replacing(#/\{\{\s*(t|meta)\(([^)]*)\)\s*\}\}/#) { match in
            match.1 == "t" ? translation(String(match.2)) : fact(String(match.2))
        }
        let text = filled.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }

    /// A rich text without its tags. An administrator wrote the tags, and the page does not trust them.
    func plainText(_ template: String?) -> String? { text(template.map { $0.replacing(#/<[^>]*>/#, with: "") }) }

    /// The text to show for a field error. `message` is either the key of a built-in text or the text itself.
    func complaint(_ message: String) -> String {
        switch message {
        case "validation.pattern.invalid": "This is not in the right form."
        case "validation.minLength.invalid": "This is too short."
        case "validation.maxLength.invalid": "This is too long."
        default: text(message) ?? message
        }
    }

    /// A name of the protocol in readable form: `given_name` becomes `Given name`.
    static func readable(_ name: String) -> String {
        let words = name.replacing(#/[_.\-]+/#, with: " ").trimmingCharacters(in: .whitespaces).lowercased()
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private func translation(_ key: String) -> String {
        let parts = key.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.count == 2 else { return "" }
        return FlowTranslations.english[parts[0]]?[parts[1]] ?? ""
    }

    private func fact(_ path: String) -> String {
        switch path.trimmingCharacters(in: .whitespaces) {
        case "application.name": application?.name ?? ""
        case "application.description": application?.description ?? ""
        default: ""
        }
    }
}

extension APIError {
    /// The description with a full stop at its end.
    var readableDescription: String { description + "." }
}
