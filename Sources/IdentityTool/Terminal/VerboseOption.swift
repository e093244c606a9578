import ArgumentParser
import IdentityKit

struct VerboseOption: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help: "Show each request and its outcome on standard error, without secrets.")
    var verbose = false

    /// The words without the option before the command, as in `identity -v token`, where no command parses it.
    static func withoutFirst(_ words: [String]) -> [String] { Array(words.drop { ["-v", "--verbose"].contains($0) }) }

    func isOn(in call: ToolCall) -> Bool { verbose || call.isVerbose }

    /// `transport`, which shows each request where that is on.
    func watching(_ transport: any HTTPTransport, in call: ToolCall) -> any HTTPTransport {
        guard isOn(in: call) else { return transport }
        return ObservedTransport(transport) { [terminal = call.terminal] in terminal.note("\($0)") }
    }
}
