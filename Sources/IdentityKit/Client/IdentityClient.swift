import Foundation

/// Signs people in, returns access tokens of the active account, and sends requests with them, whatever backend is
/// configured.
///
/// ```swift
/// let client = try IdentityClient(configuration: configuration, registry: registry)
/// try await client.signIn(scopes: ["openid"])
/// let (data, response) = try await client.data(for: request)
/// ```
///
/// The errors of look-ups, sign-ins, sign-outs, tokens and requests are ``/IdentityCore/IdentityFailure``s, except for
/// `CancellationError`. Any other error of an app's own provider is wrapped in a ``/IdentityCore/ProviderError``.
public final class IdentityClient: Sendable {
    package let environment: IdentityEnvironment
    let refusals = ResourceRefusals()
    /// Running sign-ins that a refused request needs, such as for more scopes. Concurrent requests share them. The value is
    /// whether the request is worth repeating.
    let questions = Coalescer<ResourceRefusals.Question, Bool>()
    /// Running sign-ins that do not replace the active account. Concurrent requests share them.
    let signIns = Coalescer<SignInBeside, AccountID>()
    /// Whether every call has to name its account, because no account is ever active.
    let requiresAccount: Bool
    private let broadcaster = Broadcaster<IdentityEvent>()

    let state: Locked<ClientState>
    private let listening = Locked<Task<Void, Never>?>(nil)
    /// A new identifier of this device, kept in memory so that a later sign-in stores the same one; `nil` before one is
    /// needed.
    private let newDeviceToken = Locked<Data?>(nil)

    /// Creates a client of one provider, which may be a chain.
    /// - Parameters:
    ///   - provider: the provider. For a chain, the client uses the chain's links, chosen account and settings.
    ///   - environment: the services that providers share, such as the store.
    ///   - requiresAccount: whether every call has to name its account, as in a server that acts for many people. No
    ///     account is ever active then.
    public init(
        provider: any IdentityProvider, environment: IdentityEnvironment, requiresAccount: Bool = false
    ) {
        self.requiresAccount = requiresAccount
        state = Locked(ClientState(chain: IdentityProviderChain(of: provider, time: environment.time)))
        self.environment = environment
        listen()
    }

    /// Creates a client of the providers of a configuration, which ``reload(_:)`` can replace.
    ///
    /// A provider whose settings refer to an unset environment variable keeps its place in the order. Every call that
    /// reaches this provider throws ``ConfigurationError/missingVariable(keyPath:name:)``. Calls that name another
    /// provider, or are for an account of another provider, still work. If all providers lack a variable, the initializer
    /// throws.
    /// - Parameters:
    ///   - configuration: the providers in their order, the profile and the policies.
    ///   - registry: the provider types that the configuration may name.
    ///   - environment: the services that the providers share, such as the store.
    ///   - override: the providers that take part; `nil` for those that the variable `SWIFT_IDENTITY_PROVIDER` selects, or
    ///     all without the variable.
    ///   - requiresProviderVariable: whether it is an error when neither `override` nor the variable is given.
    ///   - requiresAccount: whether every call has to name its account, as in a server that acts for many people. No
    ///     account is ever active then.
    /// - Throws: ``ConfigurationError``, a provider's error about its settings, or an error with one of these codes:
    ///   `ambiguous_chain` when two providers share a realm, which is the provider's name in its accounts' identifiers;
    ///   `unknown_provider` when the override names a provider that is not configured; `provider_variable_missing` when
    ///   `requiresProviderVariable` is `true`, and neither `override` nor the variable is given.
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

    /// Creates a client of the providers of a configuration, with the configured store.
    /// - Parameters:
    ///   - given: the configuration; by default the file `identity.json` in the app's bundle, or else in the working
    ///     directory.
    ///   - registry: the provider types and store types that the configuration may name.
    ///   - prompter: asks for names, passwords and codes.
    ///   - webAuthenticator: opens sign-in pages.
    ///   - deviceCodePresenter: shows the code for a sign-in on another device.
    /// - Throws: ``ConfigurationError``, ``/IdentityCore/TokenStoreError``, a provider's error about its settings, or
    ///   an error with the code `ambiguous_chain` when two providers share a realm, or `unknown_provider` when the
    ///   variable `SWIFT_IDENTITY_PROVIDER` names a provider that is not configured.
    public convenience init(
        configuration given: IdentityConfiguration? = nil, registry: ProviderRegistry,
        prompter: (any FlowPrompter)? = nil,
        webAuthenticator: (any WebAuthenticator)? = DefaultWebAuthenticator.ofThisSystem,
        deviceCodePresenter: (any DeviceCodePresenter)? = nil
    ) throws {
        let configuration = try given ?? .ofProgram()
        let environment = IdentityEnvironment(
            store: try registry.openStore(configuration.store), prompter: prompter,
            webAuthenticator: webAuthenticator, deviceCodePresenter: deviceCodePresenter)
        try self.init(configuration: configuration, registry: registry, environment: environment)
    }

    /// Creates a client of the file `identity.json` in the app's bundle, or else in the working directory. The file may name
    /// only the provider types of `plugins`.
    /// - Throws: as ``init(configuration:registry:prompter:webAuthenticator:deviceCodePresenter:)``.
    public convenience init(plugins: [any ProviderPlugin.Type]) throws {
        try self.init(registry: ProviderRegistry(plugins))
    }

    deinit {
        listening.withLock { $0 }?.cancel()
        broadcaster.finish()
    }

    /// Replaces all providers by `newProvider` while the app runs. Stored accounts stay, and the next call looks up the
    /// active account again. Afterwards the client has no configuration, so ``reload(_:)`` throws.
    public func use(_ newProvider: any IdentityProvider) {
        let chain = IdentityProviderChain(of: newProvider, time: environment.time)
        let former = state.withLock { state in
            defer { state.replace(chain, setup: nil, keepsActive: false) }
            return state
        }
        // Release the former state after the lock, because a provider's deinitializer may run code of the app.
        withExtendedLifetime(former) {}
    }

    /// Replaces the configuration while the app runs. Stored accounts stay, running calls end with the provider they
    /// began with, and a provider whose settings are the same is kept.
    /// - Returns: the changes, which ``events(as:)`` reports too.
    /// - Throws: ``ConfigurationError``, also when the new configuration has another store; a provider's error about
    ///   its settings; an error with the code `ambiguous_chain` when two providers share a realm, or `unknown_provider`
    ///   when the client's `ProviderOverride` names a provider that is not configured; ``ClientError/notConfigurable`` when
    ///   the client has no configuration. After an error nothing has changed.
    @discardableResult
    public func reload(_ configuration: IdentityConfiguration) throws -> ConfigurationChange {
        try reconfigure { $0 = configuration }
    }

    /// Changes the configuration while the app runs, for example to add the provider of a new tenant. Stored accounts stay,
    /// as with ``reload(_:)``.
    ///
    /// Concurrent calls take effect one after another, and none undoes the change of another.
    /// - Parameter change: edits the current configuration. It is called again when a concurrent change took effect first.
    /// - Returns: the changes, which ``events(as:)`` reports too.
    /// - Throws: as ``reload(_:)``, and what `change` throws. After an error nothing has changed.
    @discardableResult
    public func reconfigure(
        _ change: (inout IdentityConfiguration) throws -> Void
    ) throws -> ConfigurationChange {
        // Make the setup without the lock, because making a provider may run code of the app. If another reload took
        // effect first, make it again from the new state.
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

    /// Returns the active account, without showing anything; `nil` when no account is signed in, or when the session of the
    /// active account has ended or belongs to another configuration. ``lookUp(scopes:)`` returns the reason.
    /// - Throws: as ``lookUp(scopes:)``.
    public func account(scopes: Set<String> = []) async throws -> AccountID? {
        try await lookUp(scopes: scopes).account
    }

    /// Looks up the active account without showing anything. The result also says whether the account's session is
    /// suspended, and whether the account is used in place of another one whose session cannot be used. Without an active
    /// account, the result contains the reason.
    ///
    /// If the session of the active account has ended, the result is
    /// ``/IdentityCore/AbsenceReason/activeSessionEnded(_:reason:)``. If that session belongs to another configuration,
    /// the result is ``/IdentityCore/AbsenceReason/activeBelongsElsewhere(_:reason:)``. The result stays the same until
    /// an account signs in or is selected, or the active account is signed out. With
    /// ``/IdentityCore/SessionEndPolicy/fallBack``, the account of another provider is returned instead, if there is
    /// one.
    /// - Throws: ``/IdentityCore/ChainError``, ``/IdentityCore/TokenStoreError`` or a provider's error when it cannot
    ///   be found out who is signed in, for example because the store is locked; an error with the code
    ///   `randomness_unavailable` when this device has no identifier yet and none can be made;
    ///   ``ClientError/accountRequired`` in a client that requires every call to name its account; `CancellationError`.
    public func lookUp(scopes: Set<String> = []) async throws -> AccountLookup {
        while true {
            let snapshot = state.withLock { $0 }
            if let lookup = try await lookUp(scopes: scopes, at: snapshot) { return lookup }
        }
    }

    /// Makes another signed-in account the active one.
    /// - Throws: an error with the code `unknown_realm` when no provider has the account's realm, or
    ///   `provider_excluded` when the client's `ProviderOverride` excludes the provider; ``/IdentityCore/SessionError`` when
    ///   the account is not signed in, or its session has ended or belongs to another configuration;
    ///   ``ClientError/accountRequired`` in a client that requires every call to name its account;
    ///   ``/IdentityCore/ChainError``, a provider's error, ``/IdentityCore/TokenStoreError``, an error with the code
    ///   `randomness_unavailable`, or `CancellationError`.
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

    /// Returns a current access token of an account, and refreshes it first when needed. A token for a resource is obtained
    /// with the session's refresh token. A session requests only one token for a resource at a time.
    /// - Parameters:
    ///   - account: the account; `nil` for the active one. If an account is given, no other is read, chosen or made active.
    ///   - scopes: the scopes that the token must have.
    ///   - resource: the identifier of a resource, such as a second API of the same authorization server, exactly as its
    ///     metadata or documentation spells it (RFC 8707 section 2); `nil` for the session's own token, which was requested
    ///     without a resource.
    ///   - freshness: a further condition for the token, such as a minimum remaining lifetime, or that it is not the token
    ///     that a resource server has just refused with 401.
    /// - Throws: ``ClientError/notSignedIn(_:)`` when no account is signed in, or an error with the code
    ///   `not_configured` when no provider is configured completely; ``/IdentityCore/SessionError`` when the account
    ///   has no session or its session has ended; an error with the code `unknown_realm` when no provider has the
    ///   account's realm, `provider_excluded` when the client's `ProviderOverride` excludes the provider, or
    ///   `token_malformed` for a token that no header can carry; ``ClientError/accountRequired`` when the client requires
    ///   every call to name its account and this call names none;
    ///   ``/IdentityCore/SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)`` when the server gives no token for
    ///   the resource; without `account`, also what `lookUp(scopes:)` throws; otherwise what the provider throws. If the
    ///   current token is valid but not fresh enough, also throws when the refresh failed, or its outcome is not known yet.
    nonisolated(nonsending) public func accessToken(
        as account: AccountID? = nil, scopes: Set<String> = [], resource: String? = nil,
        freshness: TokenFreshness = .any
    ) async throws -> String {
        guard resource == nil, case .any = freshness else {
            return try await self.acting(as: account, scopes) {
                try await $0.tokens.accessToken(
                    for: $0.account, scopes: scopes, resource: resource, freshness: freshness
                ).asToken()
            }
        }
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

    /// Returns the events about the active account and about the configuration, or only those about `account`, from now
    /// on.
    ///
    /// Without `account`, a new listener first receives the last event about the active account, if there is one.
    ///
    /// With `account`, the events report whether it has a session, whichever account is active. The first event gives the
    /// current state: ``IdentityEvent/signedIn(_:)``, ``IdentityEvent/suspended(_:_:)``,
    /// ``IdentityEvent/sessionEnded(_:reason:)``, ``IdentityEvent/belongsElsewhere(_:reason:)`` or
    /// ``IdentityEvent/signedOut``. More events follow when a client or process changes that state in the store. No event
    /// is sent while the session cannot be read, or while no provider has the account's realm.
    public func events(as account: AccountID? = nil) -> AsyncStream<IdentityEvent> {
        if let account { events(about: account) } else { broadcaster.stream() }
    }

    // MARK: State

    var chain: IdentityProviderChain { state.withLock { $0.chain } }

    /// The last event about who is signed in; ``IdentityEvent/signedOut`` before the first.
    var latest: IdentityEvent { state.withLock { $0.announced } }

    /// Makes the context of a call to a provider from `scopes` and the device token, which is a random identifier of this
    /// device.
    /// - Parameter stores: whether a new device token is stored, as for a sign-in. Otherwise it is kept in memory, so that
    ///   a look-up does not write to the store.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `RandomnessError` when no token can be made.
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

    /// The stored device token; `nil` when there is none, or when it is damaged. The next sign-in replaces a damaged token.
    private func storedDeviceToken(in store: any TokenStore, for key: StoreKey) async throws -> Data? {
        do {
            return try await store.record(for: key)?.content
        } catch let error as TokenStoreError where error.isAboutContent {
            return nil
        }
    }

    private func deviceToken() throws -> Data {
        if let token = newDeviceToken.withLock({ $0 }) { return token }
        let made = Data(try environment.random.bytes(16).hexEncoded.utf8)
        return newDeviceToken.withLock { token in
            token = token ?? made
            return token ?? made
        }
    }

    /// Looks up the active account with the chain of `snapshot`, and applies the result to the client's state, unless the
    /// chain was replaced meanwhile.
    /// - Returns: `nil` when a newer event about who is signed in was recorded meanwhile, or somebody else has replaced the
    ///   choice that was read, so that the result is out of date.
    private func lookUp(
        scopes: Set<String>, at snapshot: ClientState, isFollowing: Bool = false
    ) async throws -> AccountLookup? {
        try checkHasActive()
        let context = try await context(scopes)
        let (lookup, choices) = try await ProviderError.classifying {
            try await snapshot.chain.lookUp(context, isFollowing: isFollowing)
        }
        let isCurrent = state.withLock { state in
            // If the chain has been replaced, return its result without recording it.
            guard state.epoch == snapshot.epoch else { return true }
            guard state.current.isNow(snapshot.current.now) else { return false }
            guard !state.isOvertaken(choices, since: snapshot) else { return false }
            for event in state.news(in: lookup) { emit(event, to: &state) }
            return true
        }
        deliver()
        return isCurrent ? lookup : nil
    }

    /// Checks that the client may have an active account.
    /// - Throws: ``ClientError/accountRequired`` when ``requiresAccount`` is set.
    func checkHasActive() throws {
        if requiresAccount { throw ClientError.accountRequired }
    }

    /// Returns the active account with the chain that found it. The caller uses this chain, even if a concurrent reload
    /// replaces the chain of the client.
    /// - Throws: as ``lookUp(scopes:)``, and the error of the ``/IdentityCore/AbsenceReason`` when no account is active.
    func acting(scopes: Set<String>) async throws -> ClientState.Acting {
        while true {
            let snapshot = state.withLock { $0 }
            if let acting = snapshot.acting { return acting }
            switch try await lookUp(scopes: scopes, at: snapshot) {
            case .found(let account)?, .suspended(let account, _)?, .fallback(let account, _)?:
                // The result of a call counts for the active account only with the same object.
                let now = state.withLock { $0.acting }
                if let now, now.chain === snapshot.chain, now.account == account { return now }
                return ClientState.Acting(chain: snapshot.chain, account: account)
            case AccountLookup.absent(let reason)?:
                throw reason.error
            case nil: continue
            }
        }
    }

    /// Runs the sign-in `work`, and makes its account the active one.
    /// - Throws: ``NothingConfiguredError`` or ``ClientError/notSignedIn(_:)`` when `work` finds no account,
    ///   ``ClientError/accountRequired``, and what `work` throws.
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

    /// Runs `work` for `account`, or if that is `nil`, for the active account.
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

    /// Runs `work` for the active account, and informs listeners when it fails because the account's session has ended, is
    /// suspended, belongs to another configuration, or does not exist.
    nonisolated(nonsending) func noticingEnd<Result>(
        of acting: ClientState.Acting, _ work: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch let error as SessionError where error.account == acting.account {
            state.withLock { state in
                guard state.actsStill(as: acting) else { return }
                if let event = IdentityEvent(error) { emit(event, to: &state) }
                // The next look-up decides whether the account stays active or another account is its fallback.
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

    /// Applies `event` to the state and delivers it, unless the chain was replaced since `snapshot`.
    private func learn(_ event: IdentityEvent, isChoice: Bool, at snapshot: ClientState) {
        state.withLock { state in
            if state.epoch == snapshot.epoch { emit(event, isChoice: isChoice, to: &state) }
        }
        deliver()
    }

    /// Applies `event` to the state, and queues the event for listeners unless it repeats the last one. Call this method under
    /// the lock of the state, so that listeners receive changes in order, and call ``deliver()`` after releasing the lock.
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

    /// Sends an event that does not change the state to listeners and observers.
    func emit(_ event: IdentityEvent) {
        enqueue(event)
        deliver()
    }

    /// Follows sign-ins, sign-outs and selections of other clients and processes with the same store.
    private func listen() {
        let task = environment.store.followCurrent { [weak self] change in
            self?.state.withLock { state in
                guard change.key == state.chain.choiceKey || change.isAboutCurrent(of: state.chain.realms) else {
                    return false
                }
                state.hear(change)
                return true
            } ?? false
        } look: { [weak self] in
            await self?.follow()
        }
        listening.withLock { $0 = task }
    }

    /// Looks up who is signed in now, and informs the listeners. Does nothing without listeners, because the next call
    /// looks up the account anyway. While this client signs an account out, the look-up is postponed to the end of the
    /// sign-out.
    func follow() async {
        guard broadcaster.hasListeners else { return }
        do {
            while let snapshot = state.withLock({ $0.current.mayLook() ? $0 : nil }) {
                if try await lookUp(scopes: [], at: snapshot, isFollowing: true) != nil { return }
            }
        } catch {
            // Ignore an unreadable store, because it is then unknown who is signed in. The next call throws its error.
        }
    }
}
