import Foundation
import IdentityKit
import IdentityTerminal

/// A sign-in to a server. If several processes with the same store have to sign in to the server, one shows the sign-in
/// and the others wait.
struct SharedSignIn: Sendable {
    /// The server's address, or the name of a provider.
    let server: String
    let named: NamedAccount?
    let place: ConfigurationOptions
    let call: ToolCall

    private static let seconds = 300

    /// Signs in, unless an account for the server is signed in already.
    /// - Throws: ``SignInElsewhereError``, ``ConfigurationCheckError``, `TokenStoreError`, `CancellationError`, or what
    ///   `identity login` or the search for the server and its account throws.
    func run() async throws {
        if try await isSignedIn() { return }
        let configured = try ConfigurationAddition(place, store: nil, in: call).store
        let store = try call.stores.open(configured, in: call.storeContext)
        // No record with this key is ever written; the key only names the lease that processes wait for.
        let key = StoreKey(.pendingFlows, "sign-in at \(server)")
        var hasWaited = false
        try await Backoff.result(
            within: .seconds(Self.seconds + 30), from: .milliseconds(20), to: .milliseconds(500),
            orThrow: SignInElsewhereError(), pausing: call.context.clock.sleep(for:)
        ) { () -> Void? in
            guard let lease = try await store.lease(for: key) else {
                if !hasWaited { call.terminal.note("Another process is to show the sign-in.") }
                hasWaited = true
                return nil
            }
            return try await lease.releasing { () -> Void in
                if try await isSignedIn() { return }
                // A person who has just declined must not be asked again by each waiting process.
                guard !hasWaited else { throw SignInElsewhereError() }
                try await signIn()
            }
        }
    }

    private func isSignedIn() async throws -> Bool {
        try await asking { try await $0.account(in: $1) != nil } ?? false
    }

    /// Opens a session, and returns the answer to `question` about the server. Returns `nil` for an address that no
    /// provider has in its settings, and for an address while there is no configuration file.
    private func asking<Answer: Sendable>(
        _ question: @escaping @Sendable (MCPServer, ToolSession) async throws -> Answer
    ) async throws -> Answer? {
        let file = try ConfigurationFile.place(place, in: call)
        // For an address, the configuration file may not exist yet. Then nobody is signed in.
        if URL(typed: server) != nil, try !ConfigurationFile.isPresent(file) { return nil }
        return try await ToolSession.run(place, as: named, in: call) { [server] session -> Answer? in
            guard let server = try MCPServer(server, in: session.configuration, session.call) else { return nil }
            return try await question(server, session)
        }
    }

    private func signIn() async throws {
        let known = try await asking { server, session -> (provider: String, keepsActive: Bool) in
            let named = try await session.namedAccount()?.realm
            let again = try await server.providerToSignInAgain(session)
            return (named ?? again ?? server.providers[0], again == nil)
        }
        let provider = try await provider(known?.provider)
        let time = call.context.clock
        // Standard input carries the client's messages, so nothing can be typed there.
        let keyboard = Keyboard(TerminalInput(isTerminal: false) { Data() }, guarding: .nothing)
        let page = LoginPage(call: call, keyboard: keyboard, provider: provider.name)
        let browser = LoopbackWebAuthenticator(
            opensBrowser: true, timeout: .seconds(Self.seconds), time: time, variables: call.variables
        ) { page.report($0) }
        let otherDevice = TerminalDeviceCodePresenter(
            terminal: call.terminal, timeout: .seconds(Self.seconds), time: time)
        let request = SignInRequest(
            provider: provider.name, scopes: [], options: .init(), usesDevice: false, givesAnswers: false,
            isAgain: false, deviceTimeout: Self.seconds, keepsActive: known?.keepsActive ?? true)
        let result = await Result {
            try await ToolSession.run(
                place, in: call,
                presenters: ToolSession.Presenters(webAuthenticator: browser, deviceCodePresenter: otherDevice),
                with: provider.configuration
            ) { session in
                let outcome = try await SignInWalk(session: session, request: request).outcome()
                if let file = try provider.write() { call.terminal.note("Wrote \(file.path).") }
                session.note(outcome.text(try await session.client.summary(of: outcome.account)?.profile))
            }
        }
        await otherDevice.stop()
        await browser.close()
        try result.get()
    }

    /// Returns the provider `known` of the configuration; for `nil`, a new provider for the server, which is not written to
    /// the file yet.
    /// - Throws: ``ConfigurationFileError`` for a name without a configuration file, or what making the provider throws.
    private func provider(_ known: String?) async throws -> ResourceLogin.Provider {
        if let known { return ResourceLogin.Provider(name: known, configuration: nil) { nil } }
        guard let resource = URL(typed: server) else {
            throw ConfigurationFileError(path: try ConfigurationFile.place(place, in: call).path)
        }
        return try await ResourceLogin(resource: resource, clientID: nil, place: place, call: call).provider()
    }
}

/// The sign-in of another process ended without an account, or the wait for it was too long.
struct SignInElsewhereError: IdentityFailure {
    let failureCode = "sign_in_timed_out"
    let failureClass = FailureClass.transient

    let message = "Another process was to show the sign-in, and nobody is signed in. Try again."
}
