#if Tools
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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
    func line(_ text: String = "") {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// A line on standard error.
    func note(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
#endif
