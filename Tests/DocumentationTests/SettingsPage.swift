import Foundation
import IdentityKit

/// The page of settings, as it is written.
struct SettingsPage {
    let title: String
    let introduction: String
    var document: [DocumentReference] = []
    let references: [SettingsReference]

    var text: String {
        get throws {
            let sections = try document.map(section) + references.map(section)
            return "# \(title)\n\n\(introduction)\n\n" + sections.joined(separator: "\n")
        }
    }

    private func section(_ reference: SettingsReference) throws -> String {
        let base = reference.base.map {
            "The type `\(reference.type)`. Every other setting of `\($0)` can be given too."
        }
        return try section(reference.vendor ?? reference.type, base, reference.settings, reference.example)
    }

    private func section(_ reference: DocumentReference) throws -> String {
        let title =
            switch reference.part {
            case .configuration: "The document"
            case .provider: "Each of the providers"
            case .profiles: "A document with several configurations"
            }
        return try section(title, nil, reference.settings, reference.example)
    }

    private func section(
        _ title: String, _ note: String?, _ settings: [SettingsReference.Setting], _ example: JSONValue
    ) throws -> String {
        var lines = ["## \(title)", ""]
        if let note { lines += [note, ""] }
        if settings.isEmpty {
            lines += ["It has no settings.", ""]
        } else {
            lines += ["| Setting | Value | Default | Meaning | Example |", "|---|---|---|---|---|"]
            lines += try settings.map(row) + [""]
        }
        lines += ["```json", try example.document(.prettyPrinted), "```", ""]
        return lines.joined(separator: "\n")
    }

    private func row(_ setting: SettingsReference.Setting) throws -> String {
        let absent = setting.isRequired ? "required" : try setting.default.map { try $0.code } ?? ""
        let cells = [
            "`\(setting.keyPath)`", setting.form, absent, setting.meaning,
            try setting.example.map { try $0.code } ?? "",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}

extension JSONValue {
    fileprivate var code: String {
        get throws { "`" + (try document([])).replacing("|", with: "\\|") + "`" }
    }

    fileprivate func document(_ formatting: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        // As people write it.
        return String(decoding: try encoder.encode(self), as: UTF8.self)
            .replacing("\" : ", with: "\": ").replacing(/\{\n\n *\}/, with: "{}")
    }
}
