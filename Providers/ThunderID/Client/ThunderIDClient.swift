import IdentityKit

/// The ThunderID client: signs people in with the app's own screens or in a browser, keeps their sessions, and hands out
/// their access tokens.
///
/// Every method that throws throws an ``IAMError``, or `CancellationError` when its task is cancelled.
///
/// `sessionId` names a session, each with its own person and tokens. The one without a name is shared with the
/// ``ThunderIDProvider`` for the same server and client in the same store; see <doc:TheDocumentedClient>.
public final class ThunderIDClient: Sendable {
    private enum State: Sendable {
        case new
        case initializing
        case ready(ClientEngine)
    }

    /// Parts that an app gives in place of the defaults.
    private struct Setup: Sendable {
        let environment: IdentityEnvironment
        /// Whether the sessions go to the environment's store when no storage is named.
        let usesStore: Bool
        /// The storage in which ThunderID's own SDK has kept its session, by the configuration and the app's storage.
        var formerStorage: @Sendable (ThunderIDConfig, (any StorageAdapter)?) -> (any StorageAdapter)? = {
            $0.formerStorage($1)
        }
    }

    private let setup: Setup
    private let state = Locked(State.new)
    private let loading = Locked(0)
    private let chosenLanguage = ChosenLanguage()

    /// A client that has to be initialized.
    public init() {
        setup = Setup(environment: IdentityEnvironment(store: MemoryTokenStore()), usesStore: false)
    }

    /// A client that shares the framework's store, transport, clock and randomness with others. It has to be initialized
    /// too. Clients and processes that use one store agree on who refreshes a session.
    public init(environment: IdentityEnvironment) {
        setup = Setup(environment: environment, usesStore: true)
    }

    /// A client for which ThunderID's own SDK has kept its session in another Keychain than the system's.
    package init(environment: IdentityEnvironment, formerKeychain: FormerKeychain) {
        setup = Setup(environment: environment, usesStore: true) { config, storage in
            guard config.takesOverSession else { return nil }
            return storage ?? FormerKeychainItems(formerKeychain, service: "dev.\(config.vendor).sdk")
        }
    }

    /// Sets the client up. Nothing else works before. No request is sent: what needs the server's metadata asks for it then.
    /// - Parameters:
    ///   - config: the server and what is asked of it.
    ///   - storage: where sessions are kept; `nil` for ``ThunderIDConfig/storage``, else the Keychain on Apple's systems
    ///     (``ThunderIDConfig/accessGroup``), and elsewhere sealed files in the person's data folder. An unsigned program on a
    ///     Mac may not use the Keychain and gets the files.
    /// - Returns: `true`.
    /// - Throws: ``IAMError`` with `alreadyInitialized`, or with `invalidConfiguration` when `baseUrl` is empty or does
    ///   not use HTTPS.
    @discardableResult
    public func initialize(config: ThunderIDConfig, storage: (any StorageAdapter)? = nil) async throws -> Bool {
        let isFirst = state.withLock { state in
            guard case .new = state else { return false }
            state = .initializing
            return true
        }
        guard isFirst else {
            throw IAMError(.alreadyInitialized, "The client is initialized already. Use reInitialize().")
        }
        do {
            let engine = try ClientEngine(
                config: config, environment: try environment(for: config, storage), language: chosenLanguage,
                formerStorage: setup.formerStorage(config, storage ?? config.storage))
            state.withLock { $0 = .ready(engine) }
            return true
        } catch {
            state.withLock { $0 = .new }
            throw IAMError.documented(error)
        }
    }

    /// Goes on with another server or client; the rest of the configuration stays. Sessions of the server and the client
    /// before are kept and not used, whatever is done at the new one, and are there again for who goes back.
    /// - Returns: `true`.
    /// - Throws: ``IAMError`` with `sdkNotInitialized` before ``initialize(config:storage:)``, or with
    ///   `invalidConfiguration`; then everything stays as it was.
    @discardableResult
    public func reInitialize(baseUrl: String? = nil, clientId: String? = nil) async throws -> Bool {
        let current = try engine()
        // Values cleared before are gone for the next engine too.
        await current.finishPendingWork()
        do {
            let engine = try ClientEngine(
                config: current.config.replacing(baseUrl: baseUrl, clientId: clientId),
                environment: current.environment, language: chosenLanguage, formerStorage: current.formerStorage)
            state.withLock { $0 = .ready(engine) }
            return true
        } catch {
            throw IAMError.documented(error)
        }
    }

    /// The configuration.
    /// - Throws: ``IAMError`` with `sdkNotInitialized`.
    public func getConfiguration() throws -> ThunderIDConfig {
        try engine().config
    }

    /// Changes the language of labels and messages from the next response on.
    /// - Parameter language: a BCP 47 tag; `nil` for ``ThunderIDConfig/language``.
    public func setLanguage(_ language: String?) { chosenLanguage.tag = language }

    /// The language of labels and messages; `nil` where the server decides.
    package var language: String? { (try? engine())?.language ?? chosenLanguage.tag }

    private func environment(
        for config: ThunderIDConfig, _ storage: (any StorageAdapter)?
    ) throws -> IdentityEnvironment {
        var environment = setup.environment
        if let storage = storage ?? config.storage {
            environment.store = AdaptedTokenStore.open(storage)
        } else if !setup.usesStore {
            environment.store = try DefaultStore.open(
                for: config, variables: environment.variables, time: environment.time)
        }
        return environment
    }

    func engine() throws -> ClientEngine {
        guard case .ready(let engine) = state.withLock({ $0 }) else {
            throw IAMError(.sdkNotInitialized, "The client is not initialized. Call initialize() first.")
        }
        return engine
    }

    /// Runs a call, and says its failures in the documented words.
    func perform<Value: Sendable>(_ call: @Sendable (ClientEngine) async throws -> Value) async throws -> Value {
        let engine = try engine()
        do {
            return try await call(engine)
        } catch {
            throw IAMError.documented(error)
        }
    }

    /// As above, for calls during which an app shows a spinner.
    func performLoading<Value: Sendable>(_ call: @Sendable (ClientEngine) async throws -> Value) async throws -> Value {
        loading.withLock { $0 += 1 }
        defer { loading.withLock { $0 -= 1 } }
        return try await perform(call)
    }

    /// Whether a sign-in or a sign-out is being worked on.
    public func isLoading() -> Bool {
        loading.withLock { $0 > 0 }
    }
}
