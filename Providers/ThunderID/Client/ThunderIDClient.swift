import IdentityKit

/// The ThunderID client: signs people in with the app's own screens or in a browser, stores their sessions, and
/// provides their access tokens.
///
/// Every throwing method throws an ``IAMError``, or `CancellationError` when its task is cancelled or the person
/// cancels.
///
/// A `sessionId` names a session. Each session has its own person and tokens. The session without a name is shared with
/// the ``ThunderIDProvider`` for the same server and client in the same store; see <doc:TheDocumentedClient>.
public final class ThunderIDClient: Sendable {
    private enum State: Sendable {
        case new
        case initializing
        case ready(ClientEngine)
    }

    /// The choices of an initializer, which ``initialize(config:storage:)`` combines with the configuration.
    private struct Setup: Sendable {
        let environment: IdentityEnvironment
        /// Whether the sessions are in the environment's store if the app gives no storage. With `false`, they are then in the
        /// default store.
        let usesStore: Bool
        /// Returns the storage from which to import a session of ThunderID's own SDK. The arguments are the configuration and
        /// the storage that the app gives. `nil` to import none.
        var formerStorage: @Sendable (ThunderIDConfig, (any StorageAdapter)?) -> (any StorageAdapter)? = {
            $0.formerStorage($1)
        }
    }

    private let setup: Setup
    private let state = Locked(State.new)
    private let loading = Locked(0)
    private let chosenLanguage = ChosenLanguage()

    /// Creates a client that stores sessions in the storage given to ``initialize(config:storage:)``, or by default in
    /// the Keychain or in encrypted files. Call that method before any other.
    public init() {
        setup = Setup(environment: IdentityEnvironment(store: MemoryTokenStore()), usesStore: false)
    }

    /// Creates a client that uses the store, transport, clock and randomness of an environment. Call
    /// ``initialize(config:storage:)`` before any other method. Clients and processes with the same store coordinate
    /// refreshes.
    public init(environment: IdentityEnvironment) {
        setup = Setup(environment: environment, usesStore: true)
    }

    /// Creates a client that imports the session of ThunderID's own SDK, if ``ThunderIDConfig/takesOverSession`` is
    /// `true`. The session is read from the storage that the app gives to ``initialize(config:storage:)``. If the app gives
    /// none, the session is read from `formerKeychain`.
    package init(environment: IdentityEnvironment, formerKeychain: FormerKeychain) {
        setup = Setup(environment: environment, usesStore: true) { config, storage in
            guard config.takesOverSession else { return nil }
            return storage ?? FormerKeychainItems(formerKeychain, service: "dev.\(config.vendor).sdk")
        }
    }

    /// Initializes the client. Call this method before any other. No request is sent; the server's metadata is fetched
    /// when it is first needed.
    /// - Parameters:
    ///   - config: the configuration.
    ///   - storage: the storage of sessions. With `nil`, the client uses ``ThunderIDConfig/storage``, or else the store
    ///     given to ``ThunderIDClient/init(environment:)``. Without any of them, it uses the Keychain on Apple's systems,
    ///     and encrypted files in the person's data folder on other systems. An unsigned program on a Mac may not use the
    ///     Keychain and gets the files, too, unless ``ThunderIDConfig/accessGroup`` is set.
    /// - Returns: always `true`.
    /// - Throws: ``IAMError`` with `alreadyInitialized`, with `invalidConfiguration` if a setting is wrong, such as a
    ///   `baseUrl` without HTTPS, or with another code if the store cannot be opened.
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

    /// Switches to another server or client identifier; `nil` keeps the present one. All other settings stay. Sessions
    /// of the previous server and client stay stored but unused, and are available again after switching back.
    /// - Returns: always `true`.
    /// - Throws: ``IAMError``, without a change: with `sdkNotInitialized` before ``initialize(config:storage:)``, with
    ///   `invalidConfiguration`, or with another code if the storage cannot erase a session that
    ///   ``clearSession(sessionId:)`` has ended.
    @discardableResult
    public func reInitialize(baseUrl: String? = nil, clientId: String? = nil) async throws -> Bool {
        let current = try engine()
        do {
            // Finish erasing ended sessions, which must not reappear in the new engine.
            try await current.finishPendingWork()
            let engine = try ClientEngine(
                config: current.config.replacing(baseUrl: baseUrl, clientId: clientId),
                environment: current.environment, language: chosenLanguage, formerStorage: current.formerStorage)
            state.withLock { $0 = .ready(engine) }
            return true
        } catch {
            throw IAMError.documented(error)
        }
    }

    /// Returns the configuration given to ``initialize(config:storage:)``, with the changes of
    /// ``reInitialize(baseUrl:clientId:)``.
    /// - Throws: ``IAMError`` with `sdkNotInitialized`.
    public func getConfiguration() throws -> ThunderIDConfig {
        try engine().config
    }

    /// Changes the language of labels and messages from the next response on.
    /// - Parameter language: a BCP 47 tag; `nil` for ``ThunderIDConfig/language``, or else the system's.
    public func setLanguage(_ language: String?) { chosenLanguage.tag = language }

    /// The language of labels and messages: the chosen language, or else the configured one, or else the system's.
    /// Before the initialization, only the chosen language; `nil` if none was chosen.
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

    /// Runs `call`, and converts its errors to ``IAMError``. A `CancellationError` stays.
    func perform<Value: Sendable>(_ call: @Sendable (ClientEngine) async throws -> Value) async throws -> Value {
        let engine = try engine()
        do {
            return try await call(engine)
        } catch {
            throw IAMError.documented(error)
        }
    }

    /// Runs `call` as `perform(_:)` does. Until it returns, ``isLoading()`` is `true`.
    func performLoading<Value: Sendable>(_ call: @Sendable (ClientEngine) async throws -> Value) async throws -> Value {
        loading.withLock { $0 += 1 }
        defer { loading.withLock { $0 -= 1 } }
        return try await perform(call)
    }

    /// Returns whether a sign-in, sign-up or sign-out of this client is running, or a call of
    /// ``stopRedirectSignIns()``.
    public func isLoading() -> Bool {
        loading.withLock { $0 > 0 }
    }
}
