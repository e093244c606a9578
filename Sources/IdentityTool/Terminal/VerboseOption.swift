import ArgumentParser
import IdentityKit

struct VerboseOption: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help: "Show each request and its outcome on standard error, without secrets.")
    var verbose = false

    /// The words without a `--verbose` before the command, as in `identity -v token`, because no command parses it there.
    static func withoutFirst(_ words: [String]) -> [String] { Array(words.drop { ["-v", "--verbose"].contains($0) }) }

    func isOn(in call: ToolCall) -> Bool { verbose || call.isVerbose }

    /// `transport`, which prints each request if the option is set.
    func watching(_ transport: any HTTPTransport, in call: ToolCall) -> any HTTPTransport {
        guard isOn(in: call) else { return transport }
        return ObservedTransport(transport) { [terminal = call.terminal] in terminal.note("\($0)") }
    }
}
