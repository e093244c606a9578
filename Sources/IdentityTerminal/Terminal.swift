import Foundation
import IdentityKit

/// Writes to standard output and standard error, with colours only on a terminal without `NO_COLOR`.
///
/// Texts have names and values that come from files, variables and servers. Of the characters that control a terminal only
/// those of the styles and line ends reach it; the others are written as `\u{1B}` and the like.
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
    /// Stands for ESC in texts with styles. Nobody else can know it, so nobody's text has a style.
    private let mark = "\u{E000}\(UInt64.random(in: .min ... .max))"

    package var showsProgress: Bool { errors.isTerminal }

    /// How many characters fit into a line of standard output; `nil` where nothing is known of that.
    package var outputColumns: Int? { output.columns }

    /// Width of the terminal on standard error, as above.
    package var noteColumns: Int? { errors.columns }

    /// Whether what is printed may have colours.
    package let allowsColour: Bool

    /// Whether standard error is a terminal that can write a line again.
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

    /// A line on standard output.
    /// - Throws: ``OutputError``.
    package func line(_ text: String = "") throws {
        try output.write(shown(text + "\n"))
    }

    /// Bytes on standard output, as they are. At a terminal their last line gets an end, so that the shell begins on a line of
    /// its own.
    /// - Throws: ``OutputError``.
    package func bytes(_ data: Data) throws {
        try output.write(data)
        if output.isTerminal, let last = data.last, last != UInt8(ascii: "\n") { try output.write(Data("\n".utf8)) }
    }

    /// A line on standard error. Failures are ignored.
    package func note(_ text: String) {
        try? errors.write(shown(text + "\n"))
    }

    /// A line of a picture on standard error, with its own colours. Failures are ignored.
    package func picture(_ line: String) {
        try? errors.write(Data((line + "\n").utf8))
    }

    /// A question on standard error, without a line end.
    package func ask(_ text: String) {
        try? errors.write(shown(text))
    }

    /// A text in the place of the line that is there. Failures are ignored.
    package func rewrite(_ text: String) {
        try? errors.write(Data("\r".utf8) + shown(text))
    }
}
