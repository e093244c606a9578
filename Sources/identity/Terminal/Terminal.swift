#if Tools
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

    private let usesColour: Bool

    /// The terminal on standard output.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        usesColour =
            isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// `text` in `style`.
    func styled(_ text: String, _ style: Style) -> String {
        usesColour && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// A line on standard output.
    /// - Throws: ``OutputError``: whoever reads may have left, or the disk may be full.
    func line(_ text: String = "") throws {
        try write(text + "\n", to: STDOUT_FILENO)
    }

    /// A line on standard error. Where that is closed nobody is left to be told.
    func note(_ text: String) {
        try? write(text + "\n", to: STDERR_FILENO)
    }

    private func write(_ text: String, to file: Int32) throws {
        var rest = Array(text.utf8)[...]
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
#endif
