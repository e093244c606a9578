import ArgumentParser
import IdentityKit
import IdentityTerminal

/// Whether requests are shown.
struct VerboseOption: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help: "Show each request and its outcome on standard error, without secrets.")
    var verbose = false

    /// Whether it stands before the command, as in `identity -v token`.
    private static let isAskedForFirst = Locked(false)

    /// Removes the option before the command, which does not parse it there.
    static func takingFirst(from words: some Collection<String>) -> [String] {
        let rest = words.drop { ["-v", "--verbose"].contains($0) }
        isAskedForFirst.withLock { $0 = rest.count < words.count }
        return Array(rest)
    }

    var isOn: Bool { verbose || Self.isAskedForFirst.withLock { $0 } }

    /// `transport`, which shows each request where that is on.
    func watching(_ transport: any HTTPTransport) -> any HTTPTransport {
        guard isOn else { return transport }
        let terminal = Terminal()
        return ObservedTransport(transport) { terminal.note("\($0)") }
    }
}
