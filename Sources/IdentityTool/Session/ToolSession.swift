import Foundation
import IdentityKit
import IdentityPostgres
import InsForge
import IdentityPresets
import IdentityOAuthProviders
import IdentityTerminal
import ThunderID

/// A configuration that is in use.
struct ToolSession: Sendable {
    let file: URL
    let configuration: IdentityConfiguration
    let client: IdentityClient
    let store: any TokenStore
    private let refreshes: RefreshMonitor

    /// The provider types that the tool was built with, and the presets of vendors.
    static let registry: ProviderRegistry = {
        var registry = plugins
        registry.register(KnownProviders.presets)
        registry.stores.register(PostgresStorePlugin.self)
        return registry
    }()

    /// The registry for `configuration`. Presets are read only where one is used.
    static func registry(for configuration: IdentityConfiguration) -> ProviderRegistry {
        let types = Set(configuration.providers.map(\.type))
        return types.isSubset(of: plugins.types) ? plugins : registry
    }

    /// `provider` without a preset, where that leads to a server with metadata.
    static func discoverable(_ provider: ProviderConfiguration) -> ProviderConfiguration {
        let whole = try? registry.expanded(provider)
        return whole?.type == OpenIDConnectPlugin.type ? whole ?? provider : provider
    }

    private static let plugins = ProviderRegistry(
        [
            ThunderIDPlugin.self, InsForgePlugin.self, OpenIDConnectPlugin.self, OAuth2Plugin.self,
            ProtectedResourcePlugin.self, WorkloadPlugin.self,
        ]
            + ProviderRegistry.corePlugins)

    /// The presenters for a sign-in. Other commands have none.
    struct Presenters: Sendable {
        var prompter: (any FlowPrompter)?
        var webAuthenticator: (any WebAuthenticator)?
        var deviceCodePresenter: (any DeviceCodePresenter)?
    }

    /// Runs `work` with the configuration for `options`.
    ///
    /// A signal cancels the work. A refresh that is under way is finished and stored first: its refresh token is spent.
    /// - Parameters:
    ///   - presenters: how a sign-in is shown.
    ///   - adapt: changes the configuration before it takes effect.
    /// - Throws: ``ConfigurationFileError``, ``ConfigurationMistake``, `TokenStoreError`, `ChainUsageError`, ``Interrupted``,
    ///   and what `work` throws.
    static func run<Result: Sendable>(
        _ options: ConfigurationOptions, presenters: Presenters = Presenters(),
        adapt: (inout IdentityConfiguration) throws -> Void = { _ in },
        _ work: @escaping @Sendable (ToolSession) async throws -> Result
    ) async throws -> Result {
        let file = try ConfigurationFile(options).url
        let session: ToolSession
        do {
            session = try ToolSession(file, options, presenters: presenters, adapt: adapt)
        } catch {
            throw ConfigurationMistake(error, in: file) ?? error
        }
        let stop = StopSignal()
        defer { withExtendedLifetime(stop) {} }
        let result = await Swift.Result {
            try await stop.interrupting { try await session.reporting(isVerbose: options.verbosity.isOn, work) }
        }
        // A refresh that is under way has spent its token, also after a cancellation. Its server gets the usual time, and a
        // store that has already failed gets less.
        await session.refreshes.close(within: session.refreshes.notStored.isEmpty ? .seconds(40) : .seconds(10))
        guard let loss = SessionsNotStored(session.refreshes.notStored) else { return try result.get() }
        if case .failure(let error) = result {
            Terminal().note("identity: \(loss.message)")
            throw error
        }
        throw loss
    }

    private init(
        _ file: URL, _ options: ConfigurationOptions, presenters: Presenters,
        adapt: (inout IdentityConfiguration) throws -> Void
    ) throws {
        self.file = file
        var configuration = try IdentityConfiguration(contentsOf: file, profile: options.profile)
        try adapt(&configuration)
        self.configuration = configuration
        store = try Self.registry.stores.open(configuration.store)
        let environment = IdentityEnvironment(
            store: store, transport: options.verbosity.watching(URLSessionTransport()),
            prompter: presenters.prompter, webAuthenticator: presenters.webAuthenticator,
            deviceCodePresenter: presenters.deviceCodePresenter)
        refreshes = environment.refreshes
        client = try IdentityClient(
            configuration: configuration, registry: Self.registry(for: configuration), environment: environment)
    }

    /// Runs `work`, and prints reports about sessions on standard error meanwhile.
    private func reporting<Result: Sendable>(
        isVerbose: Bool, _ work: (ToolSession) async throws -> Result
    ) async throws -> Result {
        let terminal = Terminal()
        let reports = refreshes.reports()
        let listener = Task {
            var mistakes: [String] = []
            // Reports from before the end of `work` are printed, also after it.
            for await report in reports {
                guard let line = report.line(isVerbose: isVerbose).map({ "identity: \($0)" }) else { continue }
                if case .misconfigured = report { mistakes.append(line) } else { terminal.note(line) }
            }
            return mistakes
        }
        let result = await Swift.Result { try await work(self) }
        listener.cancel()
        let mistakes = await listener.value
        // A failed command's error says the same.
        if case .success = result { mistakes.forEach(terminal.note) }
        return try result.get()
    }

    /// The active account.
    /// - Throws: `ClientError.notSignedIn`, or what the lookup throws.
    func activeAccount() async throws -> AccountID {
        switch try await client.lookUp() {
        case .found(let account): return account
        case .fallback(let account, let fallback):
            Terminal().note("identity: acting as \(account), \("\(fallback)".withoutFinalPeriod).")
            return account
        case .none(.activeSessionEnded(let account, let reason)): throw SessionError.ended(account, reason: reason)
        case .none(let reason): throw ClientError.notSignedIn(reason.description)
        }
    }

    /// The stored details of `account`.
    func details(of account: AccountID) async throws -> AccountSummary.Details? {
        guard case .live(let details)? = try await client.summary(of: account)?.session else { return nil }
        return details
    }
}
