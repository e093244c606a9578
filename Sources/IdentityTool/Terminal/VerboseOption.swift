import ArgumentParser
import IdentityKit

struct VerboseOption: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help: "Show each request and its outcome on standard error, without secrets.")
    var verbose = false

    /// Returns the words without `-v` and `--verbose` before the command, as in `identity -v token`, because no command parses
    /// them there.
    static func withoutFirst(_ words: [String]) -> [String] { Array(words.drop { ["-v", "--verbose"].contains($0) }) }

    func isOn(in call: ToolCall) -> Bool { verbose || call.isVerbose }

    /// Returns a transport that prints each request to standard error, or `transport` itself without `--verbose`.
    func watching(_ transport: any HTTPTransport, in call: ToolCall) -> any HTTPTransport {
        guard isOn(in: call) else { return transport }
        return ObservedTransport(transport) { [terminal = call.terminal] in terminal.note("\($0)") }
    }
}
