import Foundation

/// `write(2)`, under a name that no method hides.
private func sendBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, bytes, count)
}

/// A write to standard output failed.
struct OutputError: Error {
    /// The system's reason.
    let code: Int32

    /// Whether the reader, such as `head`, has closed its end.
    var isReaderGone: Bool { code == EPIPE }

    var message: String { "The output could not be written: \(String(cString: strerror(code)))." }
}

/// Writes to standard output and standard error, with colours only on a terminal without `NO_COLOR`.
struct Terminal: Sendable {
    /// The style of a text.
    enum Style: String, Sendable {
        case plain = "0"
        case bold = "1"
        case faint = "2"
        case good = "32"
        case bad = "31"
    }

    /// Whether standard error is a terminal.
    let showsProgress = isatty(STDERR_FILENO) == 1

    /// Whether what is printed may have colours.
    let allowsColour: Bool

    /// Whether standard error is a terminal that can write a line again.
    let rewritesLines: Bool

    /// The terminal of this process.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let isDumb = environment["TERM"] == "dumb"
        allowsColour = (environment["NO_COLOR"] ?? "").isEmpty && !isDumb
        rewritesLines = showsProgress && !isDumb
    }

    /// `text` in `style`, for standard output.
    func styled(_ text: String, _ style: Style) -> String {
        isatty(STDOUT_FILENO) == 1 ? coloured(text, style) : text
    }

    /// `text` in `style`, for standard error.
    func noteStyled(_ text: String, _ style: Style) -> String {
        showsProgress ? coloured(text, style) : text
    }

    private func coloured(_ text: String, _ style: Style) -> String {
        allowsColour && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// A line on standard output.
    /// - Throws: ``OutputError``.
    func line(_ text: String = "") throws {
        try write(Data((text + "\n").utf8), to: STDOUT_FILENO)
    }

    /// A JSON document on standard output.
    /// - Throws: ``OutputError``.
    func json(_ value: some Encodable) throws {
        try line(value.json())
    }

    /// Bytes on standard output, as they are.
    /// - Throws: ``OutputError``.
    func bytes(_ data: Data) throws {
        try write(data, to: STDOUT_FILENO)
    }

    /// A line on standard error. Failures are ignored.
    func note(_ text: String) {
        try? write(Data((text + "\n").utf8), to: STDERR_FILENO)
    }

    /// A question on standard error, without a line end.
    func ask(_ text: String) {
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

extension Encodable {
    /// The value as a JSON document with sorted keys and dates in ISO 8601.
    func json(_ formatting: JSONEncoder.OutputFormatting = .prettyPrinted) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
