import IdentityKit
import IdentityTerminal

/// The settings of a provider type or a store type, in lines for a terminal.
struct SettingsOfType {
    let reference: SettingsReference
    let terminal: Terminal
    /// Width at which sentences wrap, in characters.
    let columns: Int

    /// Prints the settings and an example of a complete configuration. Sentences wrap at `columns`. Examples do not
    /// wrap, so that they can be copied.
    /// - Throws: ``OutputError`` if the output is a file. If the output is a function, the error of that function.
    func show() throws {
        try terminal.line(terminal.styled(title, .bold))
        for setting in reference.settings { try show(setting) }
        if let base = reference.base {
            try terminal.line()
            try lines("Every other setting of \(base) can be given too. They are listed by:", indent: 0)
            try terminal.line("  identity providers \(base)")
        }
        try terminal.line()
        try terminal.line(terminal.styled("A complete configuration", .bold))
        try terminal.line(reference.example.json())
    }

    private var title: String {
        switch reference.kind {
        case .provider:
            "\(reference.type): " + (reference.vendor.map { "\($0), as \(reference.base ?? "")" } ?? "a provider type")
        case .store: "\(reference.type): a store type"
        }
    }

    private func show(_ setting: SettingsReference.Setting) throws {
        try terminal.line()
        let form = setting.form + (setting.isRequired ? ", required" : "")
        let isShort = setting.keyPath.count + 2 + form.count <= columns
        try terminal.line(setting.keyPath + (isShort ? terminal.styled("  " + form, .faint) : ""))
        if !isShort { try lines(form, indent: 2) }
        try lines(setting.meaning, indent: 2)
        if let value = setting.default { try terminal.line("  Default: " + value.json([])) }
        if let value = setting.example { try terminal.line("  Example: " + value.json([])) }
    }

    private func lines(_ text: String, indent: Int) throws {
        let margin = String(repeating: " ", count: indent)
        for line in text.brokenIntoLines(of: columns - indent) { try terminal.line(margin + line) }
    }
}

/// The command line names neither a provider type nor a store type.
struct UnknownTypeError: IdentityFailure {
    let type: String
    let similar: String?

    let failureCode = "type_unknown"
    let failureClass = FailureClass.definitive
    var message: String {
        "There is no provider type or store type \"\(type)\"."
            + (similar.map { " Did you mean \"\($0)\"?" } ?? "") + " See them with: identity providers --types"
    }
}

extension String {
    /// Returns the words of the text in lines of at most `width` characters. A longer word gets a line of its own.
    func brokenIntoLines(of width: Int) -> [String] {
        split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}
