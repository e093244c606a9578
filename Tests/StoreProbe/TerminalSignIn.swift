import Foundation
import IdentityKit
import IdentityOAuthProviders
import IdentityTerminal
import ThunderID

/// Signs in at the terminal, as a command-line program that catches no signals, or one that catches Ctrl-C itself.
struct TerminalSignIn {
    let arguments: Arguments

    func run() async throws {
        if arguments.values["catches"] == "interrupts" {
            // Seen from outside: nothing else ends a process like this.
            signal(SIGINT) { _ in kill(getpid(), SIGKILL) }
        }
        let configuration = try IdentityConfiguration(
            parsing: Data(arguments.text("configuration").utf8), variables: [:])
        let code = TerminalDeviceCodePresenter()
        let client = try IdentityClient(
            configuration: configuration,
            registry: ProviderRegistry([ThunderIDPlugin.self, OpenIDConnectPlugin.self]),
            prompter: TerminalPrompter(), deviceCodePresenter: code)
        let account = try await client.signIn()
        await code.stop()
        say("signed in \(account)")
    }
}
