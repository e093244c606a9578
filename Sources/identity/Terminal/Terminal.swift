import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// `write(2)`, under a name that no method hides.
private func sendBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, bytes, count)
}

/// Standard output took no more.
struct OutputError: Error {
    /// The system's reason.
    let code: Int32

    /// Whoever read the output has seen enough, as `head` has.
    var isReaderGone: Bool { code == EPIPE }

    var message: String { "The output could not be written: \(String(cString: strerror(code)))." }
}

/// Writes to the person: colour only on a terminal, and never where `NO_COLOR` is set.
struct Terminal: Sendable {
    /// How a piece of text is set off.
    enum Style: String, Sendable {
        case plain = "0"
        case bold = "1"
        case faint = "2"
        case good = "32"
        case bad = "31"
    }

    /// Whether a person reads standard error: progress is for people.
    let showsProgress = isatty(STDERR_FILENO) == 1

    private let allowsColour: Bool

    /// The terminal of this process.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        allowsColour = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
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
    /// - Throws: ``OutputError``: whoever reads may have left, or the disk may be full.
    func line(_ text: String = "") throws {
        try write(Data((text + "\n").utf8), to: STDOUT_FILENO)
    }

    /// A JSON document on standard output.
    /// - Throws: ``OutputError``.
    func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        try line(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Bytes on standard output, as they are.
    /// - Throws: ``OutputError``.
    func bytes(_ data: Data) throws {
        try write(data, to: STDOUT_FILENO)
    }

    /// A line on standard error. Where that is closed nobody is left to be told.
    func note(_ text: String) {
        try? write(Data((text + "\n").utf8), to: STDERR_FILENO)
    }

    /// A question on standard error, with the cursor behind it.
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
