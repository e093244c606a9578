#if Tools
import ArgumentParser
import Foundation
import IdentityKit
import OpenIDConnect

/// `identity login`: signs in and keeps the session in the store.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in.",
        discussion: """
            Without --provider the first provider that can show a sign-in does so, unless somebody is signed in already.
            Questions and addresses go to standard error; the account alone goes to standard output.

            EXAMPLES
              identity login
              identity login --provider work --scope mail --scope calendar
              identity login --provider work --device
              pass show work | identity login --provider work --username ada --password-stdin
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Sign in with this provider of the configuration, also when somebody is signed in.")
    var provider: String?

    @Option(name: .customLong("scope"), help: "A scope to ask for. May be repeated.")
    var scopes: [String] = []

    @Flag(help: "Sign in on another device: show a code to enter there.")
    var device = false

    @Flag(help: "Open no browser, only print the address.")
    var noBrowser = false

    @Option(help: "The user name or e-mail address, instead of asking for it.")
    var username: String?

    @Flag(help: "Read the password from the first line of standard input.")
    var passwordStdin = false

    @Option(help: "How many seconds to wait for the browser.")
    var timeout = 300

    func validate() throws {
        guard timeout > 0 else { throw ValidationError("--timeout needs at least one second.") }
    }

    func run() async throws {
        let terminal = Terminal()
        let account = try await signIn(terminal)
        if output.json {
            try terminal.json(["account": account.id, "provider": account.realm])
        } else {
            try terminal.line(account.id)
            terminal.note("Signed in with \(account.realm).")
        }
    }

    private func signIn(_ terminal: Terminal) async throws -> AccountID {
        let browser = TerminalBrowser(terminal: terminal, opensBrowser: !noBrowser, patience: timeout)
        let keyboard = Keyboard()
        // A sign-in that is interrupted is left alone with its question: others may wait for the same one.
        defer { keyboard.showInput() }
        let result = await Result {
            let settings = SignInSettings(usesDevice: device, provider: provider)
            let presenters = try await presenters(terminal, keyboard, browser)
            return try await ToolSession.run(
                place, presenters: presenters, adapt: settings.apply
            ) { [provider, scopes] session in
                guard let provider else { return try await session.client.signIn(scopes: Set(scopes)) }
                return try await session.client.signIn(with: provider, scopes: Set(scopes))
            }
        }
        await browser.close()
        return try result.get()
    }

    private func presenters(
        _ terminal: Terminal, _ keyboard: Keyboard, _ browser: TerminalBrowser
    ) async throws -> ToolSession.Presenters {
        var prompter = TerminalPrompter(terminal: terminal, keyboard: keyboard)
        if let username { prompter.given = [.username: Secret(username), .email: Secret(username)] }
        if passwordStdin {
            let line = try await StopSignal().interrupting { try await keyboard.line(echo: false) }
            prompter.given[.password] = Secret(line)
        }
        return ToolSession.Presenters(
            prompter: prompter, webAuthenticator: browser,
            deviceCodePresenter: TerminalDeviceCode(terminal: terminal))
    }
}
#endif
