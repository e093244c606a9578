import ArgumentParser
import Foundation
import IdentityKit
import IdentityTerminal

/// `identity login`: signs in and keeps the session in the store.
struct LoginCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { AccountIntroduction.self }

    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in.",
        discussion: """
            Without --provider, the first provider that can show a sign-in does so, unless a person is signed in. \
            Questions and addresses go to standard error, and the account to standard output.

            The browser returns to this machine: to the port of the redirect URI, or to a free one where it has none, as \
            in http://127.0.0.1/callback. Requests that belong to another sign-in are ignored.

            EXAMPLES
              identity login
              identity login --provider work --scope mail --scope calendar
              identity login --provider work --device
              identity login --resource https://notes.example.com/mcp
              pass show work | identity login --username ada --password-stdin
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Sign in with this provider, also when an account is signed in.")
    var provider: String?

    @Option(
        help: ArgumentHelp(
            "Sign in to this protected resource, such as a server of the Model Context Protocol.",
            discussion: "Without a configuration, one is written that names it. Everything else is found out.",
            valueName: "url"))
    var resource: String?

    @Option(name: .customLong("scope"), help: "A scope to request. May be repeated.")
    var scopes: [String] = []

    @Flag(help: "Sign in on another device, with a code.")
    var device = false

    @Flag(help: "Print the address and open no browser.")
    var noBrowser = false

    @Option(help: "The user name or e-mail address.")
    var username: String?

    @Flag(help: "Read the password from the first line of standard input.")
    var passwordStdin = false

    @Option(help: "How many seconds to wait for the browser, or for the other device.")
    var timeout = 300

    func validate() throws {
        if let resource, URL(typed: resource) == nil {
            throw ValidationError("\"\(resource)\" is not the address of a resource.")
        }
        if resource != nil, provider != nil { throw ValidationError("Give --resource or --provider, not both.") }
        guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout takes 1 to 86400 seconds.") }
    }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        let summary = try await signIn(in: call)
        let (account, profile) = (summary.account, summary.profile)
        if output.json {
            try terminal.json(AccountIntroduction(account, profile: profile))
        } else {
            try terminal.line(account.id)
            terminal.note("Signed in with \(account.realm)\(profile?.inWords.map { " as \($0)" } ?? "").")
        }
    }

    private func signIn(in call: ToolCall) async throws -> (account: AccountID, profile: AccountProfile?) {
        let (terminal, time) = (call.terminal, call.context.clock)
        let browser = LoopbackWebAuthenticator(
            opensBrowser: !noBrowser, timeout: .seconds(timeout), time: time, variables: call.variables
        ) { page, isOpen in
            terminal.note(isOpen ? "Your browser opens. If it does not, open this page:" : "Open this page to sign in:")
            terminal.note("  \(page.absoluteString)")
        }
        let keyboard = call.keyboard()
        // An interrupted sign-in may still wait for input without echo.
        defer { keyboard.showInput() }
        let otherDevice = TerminalDeviceCodePresenter(terminal: terminal, timeout: .seconds(timeout), time: time)
        let result = await Result {
            let provider = try providerForResource(in: call) ?? provider
            let settings = SignInSettings(usesDevice: device, provider: provider, call: call)
            let presenters = try await presenters(call, keyboard, browser, otherDevice)
            return try await ToolSession.run(
                place, in: call, presenters: presenters, adapt: settings.apply
            ) { [provider, scopes, device, timeout] session in
                let account =
                    if device || session.signsInOnDevice(with: provider) {
                        try await Deadline.run(
                            .seconds(timeout), on: time, orThrow: DeviceSignInTimedOut(seconds: timeout)
                        ) { try await Self.signIn(session.client, with: provider, scopes: Set(scopes)) }
                    } else {
                        try await Self.signIn(session.client, with: provider, scopes: Set(scopes))
                    }
                return (account, try await session.client.summary(of: account)?.profile)
            }
        }
        await otherDevice.stop()
        await browser.close()
        return try result.get()
    }

    private func providerForResource(in call: ToolCall) throws -> String? {
        guard let resource = resource.flatMap(URL.init(typed:)) else { return nil }
        return try ResourceLogin(resource: resource, place: place, call: call).provider()
    }

    private static func signIn(
        _ client: IdentityClient, with provider: String?, scopes: Set<String>
    ) async throws -> AccountID {
        do {
            if let provider { return try await client.signIn(with: provider, scopes: scopes) }
            // A fallback account is active; "login" means the account itself.
            let lookup = try await client.lookUp(scopes: scopes)
            if let fallback = lookup.fallback {
                return try await client.signIn(with: fallback.from.realm, scopes: scopes)
            }
            // "login" is for a person: a machine's account is in use without one.
            if let account = lookup.account, client.isNoPerson(account) {
                return try await client.signInAnew(scopes: scopes)
            }
            let account = try await client.signIn(scopes: scopes)
            try await stepUp(client, account, scopes)
            return account
        } catch let error as ChainError where error.isAboutDamagedRecord {
            // Its message and the doctor say "sign in again": a new session takes the place of the damaged one.
            guard let provider = error.stoppedAt else { throw error }
            return try await client.signIn(with: provider, scopes: scopes)
        } catch let error as ChainError where error.underlying == nil {
            // The error's own advice is to sign in.
            throw SignInNotPossible(reasons: AbsenceReason.chain(error.attempts).description)
        } catch ClientError.notSignedIn {
            // No provider could show a sign-in. Each attempt says why.
            let attempts = try await client.explain(scopes: scopes)
            throw SignInNotPossible(reasons: AbsenceReason.chain(attempts).description)
        }
    }

    /// Asks for the scopes that the session of an account which was signed in already lacks.
    private static func stepUp(_ client: IdentityClient, _ account: AccountID, _ scopes: Set<String>) async throws {
        guard !scopes.isEmpty else { return }
        do {
            _ = try await client.accessToken(for: account, scopes: scopes)
        } catch let error as SessionError {
            switch error {
            case .insufficientScope, .stepUpNeeded: _ = try await client.requestAuthorization(scopes: scopes)
            default: throw error
            }
        }
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

extension ChainError {
    /// Whether a provider's stored session cannot be read because it was changed.
    fileprivate var isAboutDamagedRecord: Bool {
        if case .corrupt? = underlying as? TokenStoreError { true } else { false }
    }
}

/// The sign-in on another device took too long.
struct DeviceSignInTimedOut: IdentityFailure {
    let seconds: Int

    let failureCode = "sign_in_timed_out"
    let failureClass = FailureClass.transient

    var message: String {
        "The sign-in on the other device was not finished within \(seconds) seconds. Try again, or give more with --timeout."
    }
}

/// No provider can show a sign-in here.
struct SignInNotPossible: IdentityFailure {
    let reasons: String

    let failureCode = "sign_in_not_possible"
    let failureClass = FailureClass.definitive

    var message: String { "No provider can show a sign-in here (\(reasons))." }
}
