import Foundation

/// A block of code in Markdown.
struct CodeBlock: Equatable {
    /// What follows the fence that opens it; empty when nothing does, or when there is no fence but an indentation.
    var language: String
    /// Its lines.
    var code: String

    /// All blocks of a document, however they are marked (CommonMark 0.31 sections 4.4 and 4.5): behind fences of backticks
    /// or tildes, or indented by four columns below an empty line. One that never ends has the rest of the document.
    static func all(in document: String) -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var lines = document.components(separatedBy: "\n")[...]
        var previous = ""
        while let line = lines.popFirst() {
            if let fence = line.firstMatch(of: /^\s*(`{3,}|~{3,})\s*([^`]*)$/) {
                let body = lines.prefix { $0.trimmingCharacters(in: .whitespaces) != fence.1 }
                blocks.append(
                    CodeBlock(
                        language: fence.2.trimmingCharacters(in: .whitespaces), code: body.joined(separator: "\n")))
                lines = lines.dropFirst(body.count + 1)
            } else if line.hasPrefix("    "), previous.isEmpty, !line.allSatisfy({ $0 == " " }) {
                let rest = lines.prefix { $0.hasPrefix("    ") }
                blocks.append(CodeBlock(language: "", code: ([line] + rest).joined(separator: "\n")))
                lines = lines.dropFirst(rest.count)
            }
            previous = line
        }
        return blocks
    }
}
