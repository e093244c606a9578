import Foundation
import IdentityKit

struct ToolSession: Sendable {
    let file: URL
    let configuration: IdentityConfiguration
    let client: IdentityClient
    let store: any TokenStore
    let call: ToolCall
    /// The account to act for; `nil` for the active one.
    let named: NamedAccount?
    /// Whether messages show account identifiers instead of names.
    private let isVerbose: Bool
    private let refreshes: RefreshMonitor

    /// The user interface of a sign-in. Commands without a sign-in leave every member `nil`.
    struct Presenters: Sendable {
        var prompter: (any FlowPrompter)?
        var webAuthenticator: (any WebAuthenticator)?
        var deviceCodePresenter: (any DeviceCodePresenter)?
    }

    /// Runs `work` with the configuration for `options`.
    ///
    /// A signal cancels `work`. The call then still waits until a refresh in progress is stored, because the server may have
    /// used up the old refresh token.
    /// - Parameters:
    ///   - named: the account to act for, even if another one is active or `SWIFT_IDENTITY_PROVIDER` excludes its
    ///     provider; `nil` for the active one.
    ///   - keepsChoice: whether a look-up that finds an account leaves the stored choice of the active account as it is.
    ///   - presenters: the user interface of a sign-in; by default none.
    ///   - given: a configuration to use instead of the file, which then need not exist.
    ///   - adapt: changes the configuration before the client is made from it.
    /// - Throws: ``ConfigurationFileError`` for a missing file, `ConfigurationError` for an invalid path,
    ///   ``ConfigurationCheckError`` for a mistake in the file, `TokenStoreError`, `ChainUsageError`, a provider's error about
    ///   its settings, what `adapt` and `work` throw, `CancellationError`, or ``SessionsNotStoredError`` when `work` succeeded
    ///   but a refreshed session was not stored.
    static func run<Result: Sendable>(
        _ options: ConfigurationOptions, as named: NamedAccount? = nil, in call: ToolCall, keepsChoice: Bool = false,
        presenters: Presenters = Presenters(), with given: IdentityConfiguration? = nil,
        adapt: (inout IdentityConfiguration) throws -> Void = { _ in },
        _ work: @escaping @Sendable (ToolSession) async throws -> Result
    ) async throws -> Result {
        let file =
            given == nil ? try ConfigurationFile(options, in: call).url : try ConfigurationFile.place(options, in: call)
        let session: ToolSession
        do {
            session = try ToolSession(
                file, options, as: named, in: call, keepsChoice: keepsChoice, presenters: presenters, with: given,
                adapt: adapt)
        } catch {
            throw ConfigurationCheckError(error, in: file) ?? error
        }
        return try await call.process.interrupting {
            let result = await Swift.Result {
                let result = try await session.reporting(isVerbose: options.verbosity.isOn(in: call), work)
                try Task.checkCancellation()
                return result
            }
            // Look up the names of the accounts in the error, for the message. After an `AccountChoiceError`, the person needs
            // the identifiers to choose an account.
            if case .failure(let error) = result, !(error is AccountChoiceError) {
                _ = await session.named(error.messageWithIdentifier)
            }
            if case .failure(let error as SessionError) = result { await session.expectSignIn(of: error.account) }
            // Wait for refreshes even after a cancellation: the server may have used up the old refresh tokens, so the new
            // tokens must be stored. Wait for up to 40 seconds, which a server may take, or for only 10 if the store has failed
            // already.
            await HostProcess.finishing {
                await session.refreshes.close(within: session.refreshes.notStored.isEmpty ? .seconds(40) : .seconds(10))
            }
            guard let loss = SessionsNotStoredError(session.refreshes.notStored) else { return try result.get() }
            let text = await session.named(loss.message)
            if case .failure(let error) = result {
                call.terminal.note("identity: \(text)")
                throw error
            }
            throw loss
        }
    }

    private init(
        _ file: URL, _ options: ConfigurationOptions, as named: NamedAccount?, in call: ToolCall, keepsChoice: Bool,
        presenters: Presenters, with given: IdentityConfiguration?, adapt: (inout IdentityConfiguration) throws -> Void
    ) throws {
        (self.file, self.call, self.named, isVerbose) = (file, call, named, options.verbosity.isOn(in: call))
        var configuration =
            try given
            ?? IdentityConfiguration(contentsOf: file, profile: options.profile, variables: call.variables)
        try adapt(&configuration)
        self.configuration = configuration
        do {
            store = try call.stores.open(configuration.store, in: call.storeContext)
        } catch {
            throw configuration.locating(error)
        }
        let environment = IdentityEnvironment(
            store: store, transport: options.verbosity.watching(DefaultTransport.make(), in: call),
            prompter: presenters.prompter, webAuthenticator: presenters.webAuthenticator,
            deviceCodePresenter: presenters.deviceCodePresenter, time: call.context.clock, variables: call.variables)
        refreshes = environment.refreshMonitor
        // An override that excludes no provider has two effects: the client ignores `SWIFT_IDENTITY_PROVIDER`, which could
        // exclude the provider of a named account, and the client does not store which account a look-up found, as
        // `keepsChoice` demands. An override in that variable has the second effect too. So without a named account, the
        // variable stays in force.
        let needsOverride = try keepsChoice && ProviderOverride.environment(call.variables) == nil
        client = try IdentityClient(
            configuration: configuration, registry: call.registry(for: configuration), environment: environment,
            override: named != nil || needsOverride ? .excluding() : nil)
    }

    /// Runs `work`, and prints reports about sessions to standard error. Most reports are printed while `work` runs. Reports
    /// about revocations, configuration mistakes and suspended sessions, which need a sign-in, are printed after `work` has
    /// ended. A report about a mistake is left out if `work` fails, and one about a suspended session if the error of `work`
    /// asks for a sign-in.
    private func reporting<Result: Sendable>(
        isVerbose: Bool, _ work: (ToolSession) async throws -> Result
    ) async throws -> Result {
        let terminal = call.terminal
        let reports = refreshes.reports()
        let listener = Task {
            var repeated: [(line: String, asksForSignIn: Bool)] = []
            var revocations: [(account: AccountID, line: String, isPostponed: Bool)] = []
            // After the cancellation below, the loop still handles the reports that were sent before it.
            for await report in reports {
                guard let text = report.line(isVerbose: isVerbose) else { continue }
                let line = "identity: \(await named(text))"
                switch report {
                case .misconfigured: repeated.append((line, false))
                case .suspended: repeated.append((line, true))
                // Collect the reports about revocations, to print them sorted by account and not in the order of the responses.
                case .notRevoked(let account, let reason):
                    // The revocation that was to be sent later was erased with the account.
                    if case .erased? = reason as? UnsentRevocationError {
                        revocations.removeAll { $0.account == account && $0.isPostponed }
                    }
                    revocations.append((account, line, false))
                case .revocationPostponed(let account, _): revocations.append((account, line, true))
                default: terminal.note(line)
                }
            }
            for revocation in revocations.sorted(by: { $0.account < $1.account }) { terminal.note(revocation.line) }
            return repeated
        }
        let result = await Swift.Result { try await work(self) }
        // Usually a lookup in `work` has started the due revocations of earlier sign-outs. Wait for them, because the end of
        // the process would stop them.
        if case .success = result { await client.deliverRevocations(within: .seconds(2)) }
        listener.cancel()
        for report in await listener.value where !result.says(report.asksForSignIn) { terminal.note(report.line) }
        return try result.get()
    }

    /// Prints a message to standard error, with the account names known so far in place of identifiers.
    func note(_ text: String) { call.terminal.note(call.place.completing(call.names.naming(text).visible)) }

    /// Returns all accounts. Without `--verbose`, remembers their names, because a later message may be about an
    /// account that is deleted by then.
    func accounts() async throws -> AccountListing {
        let listing = try await client.accounts()
        if !isVerbose { call.names.learn(listing.accounts) }
        return listing
    }

    /// Looks up the names of the accounts in `text`, and returns the text with names in place of identifiers. With
    /// `--verbose`, returns the text unchanged.
    func named(_ text: String) async -> String {
        guard !isVerbose else { return text }
        await call.names.learn(from: text, in: client)
        return call.names.naming(text)
    }

    /// Looks up the active account. Prints a note if the lookup falls back to another account.
    /// - Throws: `ClientError.notSignedIn` or another error about why there is no account, such as `SessionError`, or what the
    ///   lookup throws.
    func activeAccount() async throws -> AccountID {
        switch try await client.lookUp() {
        case .found(let account), .suspended(let account, _): return account
        case .fallback(let account, let fallback):
            note(await named("identity: acting as \(account), \("\(fallback)".withoutFinalPeriod)."))
            return account
        case .absent(let reason): throw reason.error
        }
    }

    /// Adds the provider of `account` to the command in later messages that suggest a sign-in. Does nothing for the active
    /// account, because a sign-in without a provider is about that account.
    func expectSignIn(of account: AccountID) async {
        guard (try? await client.lookUp())?.chosen != account else { return }
        call.place.remember(provider: client.providerName(of: account))
    }

    func details(of account: AccountID) async throws -> AccountSummary.Details? {
        switch try await client.summary(of: account)?.session {
        case .live(let details)?, .suspended(let details, _)?: details
        case .ended?, .kept?, nil: nil
        }
    }
}

extension Result {
    /// Returns whether the command's error makes a report redundant. A report that asks for a sign-in is redundant only if the
    /// error also asks for a sign-in. Returns `false` for a command that succeeded.
    fileprivate func says(_ asksForSignIn: Bool) -> Bool {
        guard case .failure(let error) = self else { return false }
        return !asksForSignIn || error.asksForSignIn
    }
}
