import ArgumentParser
import Foundation
import IdentityKit
import IdentityTerminal

/// `identity login`: signs in and keeps the session in the store.
struct LoginCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { AccountResult.self }

    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in.",
        discussion: """
            Without --provider, the first provider that can show a sign-in does so, and a line says which one that is. A \
            provider that needs no person, such as a workload, is asked only where no other is. Questions and addresses go to \
            standard error, and the account to standard output.

            Who is signed in stays so: the page is shown where the session needs it, and with --again, --provider, --username, \
            --password-stdin, --login-hint, --prompt or --device. An option that no provider can use is an error.

            The browser returns to this machine: to the port of the redirect URI, or to a free one where it has none, as \
            in http://127.0.0.1/callback. Requests that belong to another sign-in are ignored. An error that names no sign-in \
            ends none: its page has a button that stops the waiting.

            EXAMPLES
              identity login
              identity login --provider work --scope mail --scope calendar
              identity login --provider work --device
              identity login --resource https://notes.example.com/mcp
              identity login --resource https://notes.example.com/mcp --client-id cli
              pass show work | identity login --username ada --password-stdin
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: "Sign in with this provider, also when an account is signed in.",
        completion: CommandCompletions.ofProviders)
    var provider: String?

    @Option(
        help: ArgumentHelp(
            """
            Sign in to this protected resource, such as a server of the Model Context Protocol. Once the sign-in has worked, \
            the configuration names it, under the name that it gives itself. An account that is active stays so.
            """,
            valueName: "url"))
    var resource: String?

    @Option(
        name: .customLong("client-id"),
        help: "The client identifier for --resource, at a server that registers no clients by itself.")
    var clientID: String?

    @Option(name: .customLong("scope"), help: "A scope to request. May be repeated.")
    var scopes: [String] = []

    @Flag(help: "Show the page also when an account is signed in, so that another person can sign in.")
    var again = false

    @Flag(help: "Sign in on another device, with a code.")
    var device = false

    @Flag(help: "Print the address and open no browser.")
    var noBrowser = false

    @Option(help: "The user name or e-mail address.")
    var username: String?

    @Flag(help: "Read the password from the first line of standard input.")
    var passwordStdin = false

    @Option(help: "Whom the page is to sign in, such as an e-mail address. It may sign in another person.")
    var loginHint: String?

    @Option(
        help: ArgumentHelp(
            "How the page talks to the person, such as login or select_account; several words in one argument.",
            valueName: "words"))
    var prompt: String?

    @Option(help: "How many seconds to wait for the browser, or for the other device.")
    var timeout = 300

    func validate() throws {
        if let resource, URL(typed: resource) == nil {
            throw ValidationError("\"\(resource)\" is not the address of a resource.")
        }
        if resource != nil, provider != nil { throw ValidationError("Give --resource or --provider, not both.") }
        if clientID != nil, resource == nil { throw ValidationError("--client-id needs --resource.") }
        if device, loginHint != nil || prompt != nil || username != nil || passwordStdin {
            throw ValidationError(
                "--device takes no --login-hint, --prompt, --username or --password-stdin: the other device asks.")
        }
        if loginHint != nil || prompt != nil, username != nil || passwordStdin {
            throw ValidationError("Give --login-hint and --prompt for a page, or --username and --password-stdin.")
        }
        guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout takes 1 to 86400 seconds.") }
    }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        let (outcome, summary) = try await outcome(in: call)
        let (account, profile) = (outcome.account, summary?.profile)
        if output.json {
            try terminal.json(AccountResult(account, profile: profile))
        } else {
            try terminal.line(account.id)
            terminal.note(call.place.completing(outcome.text(profile)))
            if outcome.isNew, summary?.endsWithAccessToken == true {
                terminal.note("No refresh token came, so this session ends with its access token.")
            }
        }
    }

    private func outcome(in call: ToolCall) async throws -> (outcome: SignInOutcome, summary: AccountSummary?) {
        let (terminal, time) = (call.terminal, call.context.clock)
        let keyboard = call.keyboard()
        let page = LoginPage(call: call, keyboard: keyboard, provider: provider)
        let browser = LoopbackWebAuthenticator(
            opensBrowser: !noBrowser, timeout: .seconds(timeout), time: time, variables: call.variables,
            paste: page.paste
        ) { page.report($0) }
        // End a question that an interrupted sign-in has left open, and switch the echo on again.
        defer { keyboard.leave() }
        let otherDevice = TerminalDeviceCodePresenter(terminal: terminal, timeout: .seconds(timeout), time: time)
        let result = await Result {
            let added = try await resource.flatMap(URL.init(typed:)).map {
                ResourceLogin(resource: $0, clientID: clientID, place: place, call: call)
            }?.provider()
            let provider = added?.name ?? provider
            let settings = SignInSettings(usesDevice: device, provider: provider, call: call)
            let presenters = try await presenters(call, keyboard, browser, otherDevice)
            let request = SignInRequest(
                provider: provider, scopes: Set(scopes), options: .init(prompt: prompt, loginHint: loginHint),
                usesDevice: device, givesAnswers: username != nil || passwordStdin, isAgain: again,
                deviceTimeout: timeout, keepsActive: resource != nil)
            return try await ToolSession.run(
                place, in: call, presenters: presenters, with: added?.configuration, adapt: settings.apply
            ) { session in
                let outcome = try await SignInWalk(session: session, request: request).outcome()
                if let file = try added?.write() { call.terminal.note("Wrote \(file.path).") }
                return (outcome, try await session.client.summary(of: outcome.account))
            }
        }
        await otherDevice.stop()
        await browser.close()
        return try result.get()
    }

    private func presenters(
        _ call: ToolCall, _ keyboard: Keyboard, _ browser: LoopbackWebAuthenticator,
        _ otherDevice: TerminalDeviceCodePresenter
    ) async throws -> ToolSession.Presenters {
        var given: [SignInPrompt.Field.Kind: Secret] = [:]
        if let username { given = [.username: Secret(username), .email: Secret(username)] }
        if passwordStdin {
            let line = try await call.process.interrupting { try await keyboard.line(echo: false) }
            given[.password] = Secret(line)
        }
        return ToolSession.Presenters(
            prompter: TerminalPrompter(terminal: call.terminal, keyboard: keyboard, given: given),
            webAuthenticator: browser,
            deviceCodePresenter: otherDevice)
    }
}

/// The sign-in on another device was not finished within the time of `--timeout`.
struct DeviceSignInTimeoutError: IdentityFailure {
    let seconds: Int

    let failureCode = "sign_in_timed_out"
    let failureClass = FailureClass.transient

    var message: String {
        "The sign-in on the other device was not finished within \(seconds) seconds. Try again, or give more with --timeout."
    }
}

/// No provider can show a sign-in here.
struct SignInNotPossibleError: IdentityFailure {
    let reasons: String

    let failureCode = "sign_in_not_possible"
    let failureClass = FailureClass.definitive

    var message: String { "No provider can show a sign-in here (\(reasons))." }
}
