import ArgumentParser
import IdentityKit

/// Whether the exchange with servers is shown.
struct VerboseOption: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help: "Show each request and what came of it on standard error, without anything secret.")
    var verbose = false

    /// Whether it was asked for before the command, as in `identity -v token`.
    private static let isAskedForFirst = Locked(false)

    /// Removes the option from before the command, where the command does not parse it.
    static func takingFirst(from words: some Collection<String>) -> [String] {
        let rest = words.drop { ["-v", "--verbose"].contains($0) }
        isAskedForFirst.withLock { $0 = rest.count < words.count }
        return Array(rest)
    }

    /// Whether to show it.
    var isOn: Bool { verbose || Self.isAskedForFirst.withLock { $0 } }

    /// `transport`, with each exchange shown when that was asked for.
    func watching(_ transport: any HTTPTransport) -> any HTTPTransport {
        guard isOn else { return transport }
        let terminal = Terminal()
        return ObservedTransport(transport) { terminal.note("\($0)") }
    }
}
