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

    /// Presenters of a sign-in; other commands have none.
    struct Presenters: Sendable {
        var prompter: (any FlowPrompter)?
        var webAuthenticator: (any WebAuthenticator)?
        var deviceCodePresenter: (any DeviceCodePresenter)?
    }

    /// Runs `work` with the configuration for `options`.
    ///
    /// A signal cancels the work. A refresh in progress is completed and stored first, because its refresh token is spent.
    /// - Parameters:
    ///   - named: the account to act for, even if another one is active or `SWIFT_IDENTITY_PROVIDER` excludes its
    ///     provider; `nil` for the active one.
    ///   - presenters: present a sign-in.
    ///   - given: a configuration to use instead of the file, which then need not exist.
    ///   - adapt: changes the configuration before it takes effect.
    /// - Throws: ``ConfigurationFileError``, ``ConfigurationCheckError``, `TokenStoreError`, `ChainUsageError`, and what
    ///   `work` throws.
    static func run<Result: Sendable>(
        _ options: ConfigurationOptions, as named: NamedAccount? = nil, in call: ToolCall,
        presenters: Presenters = Presenters(), with given: IdentityConfiguration? = nil,
        adapt: (inout IdentityConfiguration) throws -> Void = { _ in },
        _ work: @escaping @Sendable (ToolSession) async throws -> Result
    ) async throws -> Result {
        let file =
            given == nil ? try ConfigurationFile(options, in: call).url : try ConfigurationFile.place(options, in: call)
        let session: ToolSession
        do {
            session = try ToolSession(
                file, options, as: named, in: call, presenters: presenters, with: given, adapt: adapt)
        } catch {
            throw ConfigurationCheckError(error, in: file) ?? error
        }
        return try await call.process.interrupting {
            let result = await Swift.Result {
                let result = try await session.reporting(isVerbose: options.verbosity.isOn(in: call), work)
                try Task.checkCancellation()
                return result
            }
            // In an error about an ambiguous account, the person needs the identifiers.
            if case .failure(let error) = result, !(error is AccountChoiceError) {
                _ = await session.named(error.messageWithIdentifier)
            }
            // A refresh in progress has spent its token and must be stored, even after a cancellation. Servers get the
            // usual time; a store that has failed before gets less.
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
        _ file: URL, _ options: ConfigurationOptions, as named: NamedAccount?, in call: ToolCall,
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
        client = try IdentityClient(
            configuration: configuration, registry: call.registry(for: configuration), environment: environment,
            override: named.map { _ in .excluding() })
    }

    /// Runs `work`, and meanwhile prints reports about sessions to standard error.
    private func reporting<Result: Sendable>(
        isVerbose: Bool, _ work: (ToolSession) async throws -> Result
    ) async throws -> Result {
        let terminal = call.terminal
        let reports = refreshes.reports()
        let listener = Task {
            var repeated: [(line: String, asksForSignIn: Bool)] = []
            var revocations: [(account: AccountID, line: String)] = []
            // Print all reports that precede the end of `work`.
            for await report in reports {
                guard let text = report.line(isVerbose: isVerbose) else { continue }
                let line = "identity: \(await named(text))"
                switch report {
                case .misconfigured: repeated.append((line, false))
                case .suspended: repeated.append((line, true))
                // Print these in the order of a listing, not in the order in which servers respond.
                case .notRevoked(let account, _), .revocationPostponed(let account, _):
                    revocations.append((account, line))
                default: terminal.note(line)
                }
            }
            for revocation in revocations.sorted(by: { $0.account < $1.account }) { terminal.note(revocation.line) }
            return repeated
        }
        let result = await Swift.Result { try await work(self) }
        // Usually the lookup of `work` has started these; give them a moment before the process ends.
        if case .success = result { await client.deliverRevocations(within: .seconds(2)) }
        listener.cancel()
        for report in await listener.value where !result.says(report.asksForSignIn) { terminal.note(report.line) }
        return try result.get()
    }

    /// Prints a message with the account names known so far.
    func note(_ text: String) { call.terminal.note(call.place.completing(call.names.naming(text).visible)) }

    /// All accounts. Their names are remembered, because a later message may be about a deleted account.
    func accounts() async throws -> AccountListing {
        let listing = try await client.accounts()
        if !isVerbose { call.names.learn(listing.accounts) }
        return listing
    }

    /// `text` with account names instead of identifiers; unchanged with `--verbose`.
    func named(_ text: String) async -> String {
        guard !isVerbose else { return text }
        await call.names.learn(from: text, in: client)
        return call.names.naming(text)
    }

    /// The active account.
    /// - Throws: `ClientError.notSignedIn`, or what the lookup throws.
    func activeAccount() async throws -> AccountID {
        switch try await client.lookUp() {
        case .found(let account), .suspended(let account, _): return account
        case .fallback(let account, let fallback):
            note(await named("identity: acting as \(account), \("\(fallback)".withoutFinalPeriod)."))
            return account
        case .absent(let reason): throw reason.error
        }
    }

    func details(of account: AccountID) async throws -> AccountSummary.Details? {
        switch try await client.summary(of: account)?.session {
        case .live(let details)?, .suspended(let details, _)?: details
        case .ended?, .kept?, nil: nil
        }
    }
}

extension Result {
    /// Whether the error of a failed command makes a report redundant. A report that asks for a sign-in is redundant
    /// only after an error that asks for it, too.
    fileprivate func says(_ asksForSignIn: Bool) -> Bool {
        guard case .failure(let error) = self else { return false }
        return !asksForSignIn || error.asksForSignIn
    }
}
