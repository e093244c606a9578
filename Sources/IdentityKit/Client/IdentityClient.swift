import Foundation

/// The active account, its access token, and requests with that token, whatever backend is configured.
///
/// ```swift
/// let client = try IdentityClient(configuration: configuration, registry: registry)
/// try await client.signIn(scopes: ["openid"])
/// let (data, response) = try await client.data(for: request)
/// ```
///
/// Every error of a client is an ``/IdentityCore/IdentityFailure``, except for `CancellationError`. An error of an
/// app's own provider that has no class is wrapped in a ``/IdentityCore/ProviderError``.
public final class IdentityClient: Sendable {
    package let environment: IdentityEnvironment
    let refusals = ResourceRefusals()
    /// Whether every call has to name its account, because no account is ever active.
    let requiresAccount: Bool
    private let broadcaster = Broadcaster<IdentityEvent>()

    let state: Locked<ClientState>
    private let listening = Locked<Task<Void, Never>?>(nil)
    /// The identifier of this device before it is stored.
    private let newDeviceToken = Locked<Data?>(nil)

    /// A client of one provider, which may be a chain.
    /// - Parameters:
    ///   - provider: the provider.
    ///   - environment: the services that providers share.
    ///   - requiresAccount: whether every call names its account, as in a server that acts for many people: no account
    ///     is active then.
    public init(
        provider: any IdentityProvider, environment: IdentityEnvironment, requiresAccount: Bool = false
    ) {
        self.requiresAccount = requiresAccount
        state = Locked(ClientState(chain: IdentityProviderChain(of: provider, time: environment.time)))
        self.environment = environment
        listen()
    }

    /// A client of the providers of a configuration, which ``reload(_:)`` can replace.
    ///
    /// A provider whose settings refer to an unset variable keeps its place in the order. Calls that name another
    /// provider, or for an account of another provider, still work, and every call that reaches the incomplete one
    /// throws ``ConfigurationError/missingVariable(keyPath:name:)``.
    /// - Parameters:
    ///   - configuration: the providers.
    ///   - registry: the provider types.
    ///   - environment: what the providers share.
    ///   - override: which providers take part; by default what `SWIFT_IDENTITY_PROVIDER` says.
    ///   - requiresProviderVariable: whether it is an error when neither `override` nor the variable is given.
    ///   - requiresAccount: whether every call names its account, as in a server that acts for many people: no account
    ///     is active then.
    /// - Throws: ``ConfigurationError``, ``/IdentityCore/ChainUsageError``, or a provider's error about its settings.
    public init(
        configuration: IdentityConfiguration, registry: ProviderRegistry, environment: IdentityEnvironment,
        override: ProviderOverride? = nil, requiresProviderVariable: Bool = false, requiresAccount: Bool = false
    ) throws {
        self.requiresAccount = requiresAccount
        let setup = try ClientSetup(
            configuration: configuration,
            recipe: ClientSetup.Recipe(
                registry: registry, environment: environment, override: override,
                requiresProviderVariable: requiresProviderVariable))
        state = Locked(ClientState(chain: setup.chain, setup: setup))
        self.environment = environment
        listen()
    }

    /// A client of the providers of a configuration, with the configured store.
    /// - Parameters:
    ///   - given: the configuration; by default the file `identity.json` in the app's bundle, or else in the working
    ///     directory.
    ///   - registry: the provider types.
    ///   - prompter: asks for names, passwords and codes.
    ///   - webAuthenticator: opens sign-in pages.
    ///   - deviceCodePresenter: shows the code for a sign-in on another device.
    /// - Throws: ``ConfigurationError``, ``/IdentityCore/TokenStoreError``, or a provider's error about its settings.
    public convenience init(
        configuration given: IdentityConfiguration? = nil, registry: ProviderRegistry,
        prompter: (any FlowPrompter)? = nil,
        webAuthenticator: (any WebAuthenticator)? = DefaultWebAuthenticator.ofThisSystem,
        deviceCodePresenter: (any DeviceCodePresenter)? = nil
    ) throws {
        let configuration = try given ?? .ofProgram()
        let environment = IdentityEnvironment(
            store: try registry.stores.open(configuration.store), prompter: prompter,
            webAuthenticator: webAuthenticator, deviceCodePresenter: deviceCodePresenter)
        try self.init(configuration: configuration, registry: registry, environment: environment)
    }

    /// A client of the file `identity.json` in the app's bundle, or else in the working directory, with these provider types
    /// alone.
    /// - Throws: ``ConfigurationError``, ``/IdentityCore/TokenStoreError``, or a provider's error about its settings.
    public convenience init(plugins: [any ProviderPlugin.Type]) throws {
        try self.init(registry: ProviderRegistry(plugins))
    }

    deinit {
        listening.withLock { $0 }?.cancel()
        broadcaster.finish()
    }

    /// Replaces the provider while the app runs. Stored accounts stay; the active account is looked up again.
    public func use(_ newProvider: any IdentityProvider) {
        let chain = IdentityProviderChain(of: newProvider, time: environment.time)
        let former = state.withLock { state in
            defer { state.replace(chain, setup: nil, keepsActive: false) }
            return state
        }
        // Release the former state after the lock, because releasing a provider runs its author's code.
        withExtendedLifetime(former) {}
    }

    /// Replaces the configuration while the app runs. Stored accounts stay, running calls end with the provider they
    /// began with, and a provider whose settings are the same is kept.
    /// - Returns: the changes, which ``events()`` reports too.
    /// - Throws: ``ConfigurationError``, ``/IdentityCore/ChainUsageError`` or a provider's error about its settings,
    ///   after which nothing has changed; ``ClientError/notConfigurable`` when the client was not made from a
    ///   configuration.
    @discardableResult
    public func reload(_ configuration: IdentityConfiguration) throws -> ConfigurationChange {
        try reconfigure { $0 = configuration }
    }

    /// Changes the configuration while the app runs, such as by the provider of a new tenant. Stored accounts stay, as
    /// with ``reload(_:)``.
    ///
    /// Concurrent calls take effect one after another, and none undoes the change of another.
    /// - Parameter change: edits the current configuration. It is called again when another change came first.
    /// - Returns: as ``reload(_:)``.
    /// - Throws: as ``reload(_:)``, and what `change` throws; nothing has changed then.
    @discardableResult
    public func reconfigure(
        _ change: (inout IdentityConfiguration) throws -> Void
    ) throws -> ConfigurationChange {
        // Make the setup without the lock, because making a provider runs its author's code. If another reload came
        // first, make it again from the new state.
        while true {
            let former = state.withLock { $0 }
            guard let old = former.setup else { throw ClientError.notConfigurable }
            var configuration = old.configuration
            try change(&configuration)
            let new = try old.reconfigured(configuration)
            let difference = ConfigurationChange(from: old.configuration, to: configuration)
            guard !difference.isEmpty else { return difference }
            let isReplaced = state.withLock { state in
                guard state.epoch == former.epoch else { return false }
                let keepsActive =
                    state.active.map { difference.profile == nil && difference.kept.contains($0.realm) } ?? false
                state.replace(new.chain, setup: new, keepsActive: keepsActive)
                enqueue(.configurationChanged(difference))
                return true
            }
            deliver()
            if isReplaced { return difference }
        }
    }

    // MARK: Who is signed in

    /// The active account, without showing anything; `nil` when no account is signed in, or its session has ended;
    /// ``lookUp(scopes:)`` returns the reason.
    /// - Throws: when that cannot be found out, for example because the store is locked.
    public func account(scopes: Set<String> = []) async throws -> AccountID? {
        try await lookUp(scopes: scopes).account
    }

    /// The active account, whether it is a fallback, or why there is none.
    ///
    /// When the session of the active account has ended, the result is
    /// ``/IdentityCore/AbsenceReason/activeSessionEnded(_:reason:)``, and when it belongs to another configuration
    /// ``/IdentityCore/AbsenceReason/activeBelongsElsewhere(_:reason:)``, until an account signs in or is selected, or
    /// that one is signed out.
    /// - Throws: when that cannot be found out, for example because the store is locked.
    public func lookUp(scopes: Set<String> = []) async throws -> AccountLookup {
        while true {
            let snapshot = state.withLock { $0 }
            if let lookup = try await lookUp(scopes: scopes, at: snapshot) { return lookup }
        }
    }

    /// Makes another signed-in account the active one.
    /// - Throws: ``/IdentityCore/ChainUsageError``, ``/IdentityCore/ChainError``, or ``/IdentityCore/SessionError/notSignedIn(_:)``.
    public func select(_ account: AccountID) async throws {
        try checkHasActive()
        let context = try await context(stores: true)
        let snapshot = state.withLock { $0 }
        try await ProviderError.classifying {
            try await snapshot.chain.select(account, scopes: [], deviceToken: context.deviceToken)
        }
        learn(.signedIn(account), isChoice: true, at: snapshot)
    }

    // MARK: Acting for the account

    /// A current access token of an account.
    /// - Parameters:
    ///   - account: the account; `nil` for the active one. For a named account no other is read, chosen or made active.
    ///   - scopes: the scopes that the token must have.
    /// - Throws: ``ClientError/notSignedIn(_:)`` when no account is signed in, `NothingConfiguredError` when no
    ///   provider is configured completely, ``/IdentityCore/SessionError`` when the account has no session or its
    ///   session has ended, ``/IdentityCore/ChainUsageError`` when no provider has its realm,
    ///   ``ClientError/accountRequired`` when a client without an active account is given none,
    ///   ``/IdentityCore/MalformedTokenError`` for a token that no header can carry, otherwise what the provider
    ///   throws.
    nonisolated(nonsending) public func accessToken(
        as account: AccountID? = nil, scopes: Set<String> = []
    ) async throws -> String {
        if let account {
            return try await ProviderError.classifying {
                try await chain.accessToken(for: account, scopes: scopes).asToken()
            }
        }
        // Skip the look-up when the account is known, which is the usual case.
        let known = state.withLock { $0.acting }
        let acting = if let known { known } else { try await acting(scopes: scopes) }
        return try await noticingEnd(of: acting) {
            try await acting.tokens.accessToken(for: acting.account, scopes: scopes)
        }.asToken()
    }

    // MARK: Events

    /// The events about who is signed in, from now on. A new listener first receives the last known state. For one
    /// account, see ``events(as:)``.
    public func events() -> AsyncStream<IdentityEvent> {
        broadcaster.stream()
    }

    // MARK: State

    var chain: IdentityProviderChain { state.withLock { $0.chain } }

    /// The last event about who is signed in.
    var latest: IdentityEvent { state.withLock { $0.announced } }

    /// The scopes and the device token of a call to a provider. The token is random, and has no meaning elsewhere.
    /// - Parameter stores: whether a new token is stored, as for a sign-in; otherwise a new token is kept in memory, so
    ///   that a lookup without any session writes nothing.
    func context(_ scopes: Set<String> = [], stores: Bool = false) async throws -> CallerContext {
        let (store, key) = (environment.observedStore, StoreKey(.device, "token"))
        let content = try await ProviderError.classifying {
            if stores {
                try await store.valueMadeOnce(for: key, deviceToken)
            } else {
                try await storedDeviceToken(in: store, for: key) ?? deviceToken()
            }
        }
        return CallerContext(scopes: scopes, deviceToken: String(decoding: content, as: UTF8.self))
    }

    /// The stored token; `nil` when there is none or it is damaged, in which case a sign-in replaces it.
    private func storedDeviceToken(in store: any TokenStore, for key: StoreKey) async throws -> Data? {
        do {
            return try await store.record(for: key)?.content
        } catch let error as TokenStoreError where error.isAboutContent {
            return nil
        }
    }

    private func deviceToken() throws -> Data {
        let made = Data(try environment.random.bytes(16).hexEncoded.utf8)
        return newDeviceToken.withLock { token in
            token = token ?? made
            return token ?? made
        }
    }

    /// Looks up the active account, and applies the result to the state of `snapshot`.
    /// - Returns: `nil` when somebody has signed in or out meanwhile.
    private func lookUp(
        scopes: Set<String>, at snapshot: ClientState, isFollowing: Bool = false
    ) async throws -> AccountLookup? {
        try checkHasActive()
        let context = try await context(scopes)
        let lookup = try await ProviderError.classifying {
            try await snapshot.chain.lookUp(context, isFollowing: isFollowing)
        }
        let isCurrent = state.withLock { state in
            // Ignore the result of a chain that has been replaced.
            guard state.epoch == snapshot.epoch else { return true }
            guard state.current.isNow(snapshot.current.now) else { return false }
            for event in state.news(in: lookup) { emit(event, to: &state) }
            return true
        }
        deliver()
        return isCurrent ? lookup : nil
    }

    /// Checks that the client may have an active account.
    /// - Throws: ``ClientError/accountRequired`` in a client that requires every call to name its account.
    func checkHasActive() throws {
        if requiresAccount { throw ClientError.accountRequired }
    }

    /// The account to act for with its provider, read together, so that a reload cannot separate them.
    func acting(scopes: Set<String>) async throws -> ClientState.Acting {
        while true {
            let snapshot = state.withLock { $0 }
            if let acting = snapshot.acting { return acting }
            switch try await lookUp(scopes: scopes, at: snapshot) {
            case .found(let account)?, .suspended(let account, _)?, .fallback(let account, _)?:
                return ClientState.Acting(chain: snapshot.chain, account: account)
            case AccountLookup.absent(let reason)?:
                throw reason.error
            case nil: continue
            }
        }
    }

    /// Runs a sign-in, and makes its account the active one.
    func adopt(
        _ scopes: Set<String>, _ work: (IdentityProviderChain, CallerContext) async throws -> AccountLookup
    ) async throws -> AccountID {
        try checkHasActive()
        let context = try await context(scopes, stores: true)
        let snapshot = state.withLock { $0 }
        let lookup = try await ProviderError.classifying { try await work(snapshot.chain, context) }
        guard let account = lookup.account else {
            if case .absent(let reason) = lookup, reason.error is NothingConfiguredError { throw reason.error }
            throw ClientError.notSignedIn(AbsenceReason.cannotShowSignIn.description)
        }
        learn(IdentityEvent(lookup), isChoice: true, at: snapshot)
        return account
    }

    /// Runs `work` for `account`, or for the active account.
    nonisolated(nonsending) func acting<Result>(
        as account: AccountID?, _ scopes: Set<String>,
        _ work: nonisolated(nonsending) (ClientState.Acting) async throws -> Result
    ) async throws -> Result {
        if let account {
            return try await ProviderError.classifying {
                try await work(ClientState.Acting(chain: chain, account: account))
            }
        }
        let known = state.withLock { $0.acting }
        let acting = if let known { known } else { try await acting(scopes: scopes) }
        return try await noticingEnd(of: acting) { try await work(acting) }
    }

    /// Runs `work` for `acting`, and informs listeners when it fails because the session has ended.
    nonisolated(nonsending) func noticingEnd<Result>(
        of acting: ClientState.Acting, _ work: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch let error as SessionError where error.account == acting.account {
            state.withLock { state in
                guard state.actsStill(as: acting) else { return }
                if let event = IdentityEvent(error) { emit(event, to: &state) }
                // The next look-up decides whether the session has ended or another account stands in.
                switch error {
                case .cannotRefresh, .suspended: state.active = nil
                case .notSignedIn: emit(.signedOut, to: &state)
                default: break
                }
            }
            deliver()
            throw error
        } catch {
            throw ProviderError.classified(error)
        }
    }

    /// Applies `event`, unless its provider has been replaced meanwhile.
    private func learn(_ event: IdentityEvent, isChoice: Bool, at snapshot: ClientState) {
        state.withLock { state in
            if state.epoch == snapshot.epoch { emit(event, isChoice: isChoice, to: &state) }
        }
        deliver()
    }

    /// Applies `event` to the state and queues it under the lock, so that listeners receive changes in order. The
    /// caller delivers it after releasing the lock.
    func emit(_ event: IdentityEvent, isChoice: Bool = false, to state: inout ClientState) {
        if state.learn(event, isChoice: isChoice) { enqueue(event, isState: true) }
    }

    private func enqueue(_ event: IdentityEvent, isState: Bool = false) {
        broadcaster.enqueue(event, isState: isState)
        environment.observers.enqueue(.client(event))
    }

    func deliver() {
        broadcaster.deliver()
        environment.observers.deliver()
    }

    /// Sends listeners and observers an event that does not change the state.
    func emit(_ event: IdentityEvent) {
        enqueue(event)
        deliver()
    }

    /// Follows other clients and processes with the same store.
    private func listen() {
        let task = environment.store.followCurrent { [weak self] change in
            self?.state.withLock { state in
                guard change.key == state.chain.choiceKey || change.isAboutCurrent(of: state.chain.realms) else {
                    return false
                }
                state.active = nil
                return true
            } ?? false
        } look: { [weak self] in
            await self?.follow()
        }
        listening.withLock { $0 = task }
    }

    /// Looks up who is signed in now, and informs the listeners. Without listeners, the look-up is left to the next
    /// call.
    func follow() async {
        guard broadcaster.hasListeners else { return }
        do {
            while let snapshot = state.withLock({ $0.current.mayLook() ? $0 : nil }) {
                if try await lookUp(scopes: [], at: snapshot, isFollowing: true) != nil { return }
            }
        } catch {
            // Ignore an unreadable store, which says nothing about who is signed in; the next call throws its error.
        }
    }
}
