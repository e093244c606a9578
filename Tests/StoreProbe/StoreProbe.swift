import Foundation
import IdentityKit

/// One process among several that share a token store: it signs in, asks for tokens or signs out at a local ThunderID
/// server, and prints one line for each outcome.
///
/// Arguments come as `name=value`; see ``Arguments``.
@main
struct StoreProbe {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            switch try arguments.text("do") {
            case "listen":
                await ListenerStorm(store: try arguments.store(), rounds: arguments.number("rounds", 1)).run()
            case "fetch":
                try await fetch(arguments.text("server"), bearing: arguments.text("password"))
            case "sign-in-at-terminal":
                try await TerminalSignIn(arguments: arguments).run()
            case "sign-in-on-page":
                try await PageSignIn(arguments: arguments).run()
            case "look-at-exit":
                try await ExitLook(arguments: arguments).run()
            case "first-token":
                try await FirstToken(arguments: arguments).run()
            case "resource-sign-in", "resource-tokens", "resource-tokens-in-turn":
                try await ResourceProbe(arguments: arguments).run()
            default:
                try await Probe(arguments).run()
            }
        } catch {
            say("failed \((error as? any IdentityFailure)?.failureCode ?? "\(type(of: error))")")
            exit(3)
        }
    }
}
