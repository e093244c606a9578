import Foundation
import IdentityKit

/// The page of settings, as it is written.
struct SettingsPage {
    let title: String
    let introduction: String
    let references: [SettingsReference]

    var text: String {
        get throws {
            let sections = try references.map(section)
            return "# \(title)\n\n\(introduction)\n\n" + sections.joined(separator: "\n")
        }
    }

    private func section(_ reference: SettingsReference) throws -> String {
        var lines = ["## \(reference.vendor ?? reference.type)", ""]
        if let base = reference.base {
            lines += ["The type `\(reference.type)`. Every other setting of `\(base)` can be given too.", ""]
        }
        if reference.settings.isEmpty {
            lines += ["It has no settings.", ""]
        } else {
            lines += ["| Setting | Value | Default | Meaning | Example |", "|---|---|---|---|---|"]
            lines += try reference.settings.map(row) + [""]
        }
        lines += ["```json", try reference.example.document(.prettyPrinted), "```", ""]
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
