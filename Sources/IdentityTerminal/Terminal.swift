import Foundation

/// Writes to standard output and standard error, with colours only on a terminal without `NO_COLOR`.
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

    package var showsProgress: Bool { errors.isTerminal }

    /// How many characters fit into a line of standard output; `nil` where nothing is known of that.
    package var outputColumns: Int? { output.columns }

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
        allowsColour && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// A line on standard output.
    /// - Throws: ``OutputError``.
    package func line(_ text: String = "") throws {
        try output.write(Data((text + "\n").utf8))
    }

    /// Bytes on standard output, as they are.
    /// - Throws: ``OutputError``.
    package func bytes(_ data: Data) throws {
        try output.write(data)
    }

    /// A line on standard error. Failures are ignored.
    package func note(_ text: String) {
        try? errors.write(Data((text + "\n").utf8))
    }

    /// A question on standard error, without a line end.
    package func ask(_ text: String) {
        try? errors.write(Data(text.utf8))
    }
}
