import Foundation
import IdentityKit

/// Writes to standard output and standard error. Text is colored only on a terminal, and not if `NO_COLOR` has a value or
/// `TERM` is `dumb`.
///
/// Texts contain names and values from files, variables and servers. Therefore control characters are escaped, such as
/// `\u{1B}` for ESC. Line feeds, tabs and the styles of this program stay. Only ``bytes(_:)`` and ``picture(_:)`` escape
/// nothing.
package struct Terminal: Sendable {
    package enum Style: String, Sendable {
        case plain = "0"
        case bold = "1"
        case faint = "2"
        case good = "32"
        case bad = "31"
    }

    private let output: TerminalOutput
    private let errors: TerminalOutput
    /// Placeholder for ESC in styled texts. Random, so that a text from a file or server cannot contain a style.
    private let mark = "\u{E000}\(UInt64.random(in: .min ... .max))"

    package var showsProgress: Bool { errors.isTerminal }

    /// Width of standard output in characters; `nil` when it is unknown.
    package var outputColumns: Int? { output.columns }

    /// Width of standard error in characters; `nil` when it is unknown.
    package var noteColumns: Int? { errors.columns }

    /// Whether output to a terminal may be colored: `NO_COLOR` is unset or empty, and `TERM` is not `dumb`.
    package let allowsColour: Bool

    /// Whether standard error is a terminal that can return to the start of a line.
    package let rewritesLines: Bool

    package init() {
        self.init(
            output: TerminalOutput(.standardOutput), errors: TerminalOutput(.standardError),
            environment: ProcessInfo.processInfo.environment)
    }

    package init(output: TerminalOutput, errors: TerminalOutput, environment: [String: String]) {
        (self.output, self.errors) = (output, errors)
        let isDumb = environment["TERM"] == "dumb"
        allowsColour = (environment["NO_COLOR"] ?? "").isEmpty && !isDumb
        rewritesLines = errors.isTerminal && !isDumb
    }

    package func styled(_ text: String, _ style: Style) -> String {
        output.isTerminal ? coloured(text, style) : text
    }

    package func noteStyled(_ text: String, _ style: Style) -> String {
        showsProgress ? coloured(text, style) : text
    }

    private func coloured(_ text: String, _ style: Style) -> String {
        allowsColour && style != .plain ? "\(mark)[\(style.rawValue)m\(text)\(mark)[0m" : text
    }

    private func shown(_ text: String) -> Data {
        let harmless = text.visibleLines
        return Data((allowsColour ? harmless.replacing(mark, with: "\u{1B}") : harmless).utf8)
    }

    /// Prints a line on standard output.
    /// - Throws: ``OutputError``, or the error of an output that is a function.
    package func line(_ text: String = "") throws {
        try output.write(shown(text + "\n"))
    }

    /// Writes bytes to standard output unchanged. On a terminal a line end is added if it is missing, so that the shell
    /// begins on a new line.
    /// - Throws: ``OutputError``, or the error of an output that is a function.
    package func bytes(_ data: Data) throws {
        try output.write(data)
        if output.isTerminal, let last = data.last, last != UInt8(ascii: "\n") { try output.write(Data("\n".utf8)) }
    }

    /// Prints a line on standard error, and ignores failures.
    package func note(_ text: String) {
        try? errors.write(shown(text + "\n"))
    }

    /// Prints a line of a picture on standard error without escaping its color codes, and ignores failures.
    package func picture(_ line: String) {
        try? errors.write(Data((line + "\n").utf8))
    }

    /// Prints a question on standard error without a line end, and ignores failures.
    package func ask(_ text: String) {
        try? errors.write(shown(text))
    }

    /// Overwrites the current line on standard error from its start, and ignores failures. If the line was longer than
    /// `text`, the rest of the old line stays visible.
    package func rewrite(_ text: String) {
        try? errors.write(Data("\r".utf8) + shown(text))
    }
}
