import Foundation

/// `write(2)`, under a name that no method hides.
private func sendBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, bytes, count)
}

/// A write to standard output failed.
package struct OutputError: Error {
    /// The system's reason.
    package let code: Int32

    /// Whether the reader, such as `head`, has closed its end.
    package var isReaderGone: Bool { code == EPIPE }

    package var message: String { "The output could not be written: \(String(cString: strerror(code)))." }
}

/// Writes to standard output and standard error, with colours only on a terminal without `NO_COLOR`.
package struct Terminal: Sendable {
    /// The style of a text.
    package enum Style: String, Sendable {
        case plain = "0"
        case bold = "1"
        case faint = "2"
        case good = "32"
        case bad = "31"
    }

    /// Whether standard error is a terminal.
    package let showsProgress = isatty(STDERR_FILENO) == 1

    /// Whether what is printed may have colours.
    package let allowsColour: Bool

    /// Whether standard error is a terminal that can write a line again.
    package let rewritesLines: Bool

    /// The terminal of this process.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let isDumb = environment["TERM"] == "dumb"
        allowsColour = (environment["NO_COLOR"] ?? "").isEmpty && !isDumb
        rewritesLines = showsProgress && !isDumb
    }

    /// `text` in `style`, for standard output.
    package func styled(_ text: String, _ style: Style) -> String {
        isatty(STDOUT_FILENO) == 1 ? coloured(text, style) : text
    }

    /// `text` in `style`, for standard error.
    package func noteStyled(_ text: String, _ style: Style) -> String {
        showsProgress ? coloured(text, style) : text
    }

    private func coloured(_ text: String, _ style: Style) -> String {
        allowsColour && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// A line on standard output.
    /// - Throws: ``OutputError``.
    package func line(_ text: String = "") throws {
        try write(Data((text + "\n").utf8), to: STDOUT_FILENO)
    }

    /// Bytes on standard output, as they are.
    /// - Throws: ``OutputError``.
    package func bytes(_ data: Data) throws {
        try write(data, to: STDOUT_FILENO)
    }

    /// A line on standard error. Failures are ignored.
    package func note(_ text: String) {
        try? write(Data((text + "\n").utf8), to: STDERR_FILENO)
    }

    /// A question on standard error, without a line end.
    package func ask(_ text: String) {
        try? write(Data(text.utf8), to: STDERR_FILENO)
    }

    private func write(_ data: Data, to file: Int32) throws {
        var rest = Array(data)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { sendBytes(file, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw OutputError(code: errno)
            }
        }
    }
}
