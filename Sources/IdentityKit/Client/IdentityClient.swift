import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What an app holds: who is signed in, a token for them, and requests with that token, whatever backend is configured.
///
/// ```swift
/// let client = try IdentityClient(configuration: configuration, registry: registry)
/// try await client.signIn(scopes: ["openid"])
/// let (data, response) = try await client.data(for: request)
/// ```
public final class IdentityClient: Sendable {
    let environment: IdentityEnvironment
    private let broadcaster = Broadcaster<IdentityEvent>()

    private let state: Locked<ClientState>
    private let listening = Locked<Task<Void, Never>?>(nil)

    /// A client of one provider, which may be a chain.
    public init(provider: any SessionProvider, environment: IdentityEnvironment) {
        state = Locked(ClientState(provider: provider))
        self.environment = environment
        listen()
    }

    /// A client of the providers a configuration names. Its configuration can be replaced with ``reload(_:)``.
    /// - Parameters:
    ///   - configuration: the providers.
    ///   - registry: the provider types it may name.
    ///   - environment: what the providers share.
    ///   - override: which providers take part; by default what `SWIFT_IDENTITY_PROVIDER` says.
    ///   - requiresProviderVariable: whether it is an error when neither says so.
    ///   - observe: is told what the chain does.
    /// - Throws: ``ConfigurationError``, ``ChainUsageError``, or what a provider says of its settings.
    public init(
        configuration: IdentityConfiguration, registry: ProviderRegistry, environment: IdentityEnvironment,
        override: ProviderOverride? = nil, requiresProviderVariable: Bool = false,
        observe: @escaping @Sendable (ChainEvent) -> Void = { _ in }
    ) throws {
        let setup = try ClientSetup(
            configuration: configuration,
            recipe: ClientSetup.Recipe(
                registry: registry, environment: environment, override: override,
                requiresProviderVariable: requiresProviderVariable, observe: observe))
        state = Locked(ClientState(provider: setup.chain, setup: setup))
        self.environment = environment
        listen()
    }

    /// A client of the providers a configuration names, with the store it names.
    /// - Throws: ``ConfigurationError``, ``TokenStoreError``, or what a provider says of its settings.
    public convenience init(
        configuration: IdentityConfiguration, registry: ProviderRegistry,
        prompter: (any FlowPrompter)? = nil, webAuthenticator: (any WebAuthenticator)? = nil
    ) throws {
        let environment = IdentityEnvironment(
            store: try configuration.store.open(), prompter: prompter, webAuthenticator: webAuthenticator)
        try self.init(configuration: configuration, registry: registry, environment: environment)
    }

    deinit {
        listening.withLock { $0 }?.cancel()
        broadcaster.finish()
    }

    /// Replaces the provider while the app runs. Stored accounts stay; who is active is found anew.
    public func use(_ newProvider: any SessionProvider) {
        let former = state.withLock { state in
            defer { state.replace(newProvider, setup: nil, keepsActive: false) }
            return state
        }
        // Let go of after the lock, whatever its end does.
        withExtendedLifetime(former) {}
    }

    /// Replaces the configuration while the app runs. Stored accounts stay, calls under way end with the provider they
    /// began with, and a provider whose part of the configuration is the same goes on undisturbed.
    /// - Returns: what changed. Listeners to ``events()`` are told the same.
    /// - Throws: ``ConfigurationError``, ``ChainUsageError`` or what a provider says of its settings; nothing has changed
    ///   then. ``ClientError/notConfigurable`` when the client was not made from a configuration.
    @discardableResult
    public func reload(_ configuration: IdentityConfiguration) throws -> ConfigurationChange {
        // Made without the lock, because making a provider is its author's code. When another reload was faster, it is
        // made anew, so that two reloads end with the later one, whole.
        while true {
            let former = state.withLock { $0 }
            guard let old = former.setup else { throw ClientError.notConfigurable }
            let new = try old.reconfigured(configuration)
            let change = ConfigurationChange(from: old.configuration, to: configuration)
            guard !change.isEmpty else { return change }
            let isReplaced = state.withLock { state in
                guard state.epoch == former.epoch else { return false }
                let keepsActive =
                    state.active.map { change.profile == nil && change.kept.contains($0.realm) } ?? false
                state.replace(new.chain, setup: new, keepsActive: keepsActive)
                enqueue(.configurationChanged(change))
                return true
            }
            deliver()
            if isReplaced { return change }
        }
    }

    // MARK: Who is signed in

    /// The signed-in account, found without showing anything; `nil` when nobody is signed in, and when the session of the
    /// active account has ended: ``lookUp(scopes:)`` tells which.
    /// - Throws: when that cannot be known, for example because the store is locked.
    public func account(scopes: Set<String> = []) async throws -> AccountID? {
        try await lookUp(scopes: scopes).account
    }

    /// The signed-in account, and whether it stands in for another one, or why there is none.
    ///
    /// When the session of the active account has ended, the answer is ``AbsenceReason/activeSessionEnded(_:reason:)``,
    /// until somebody signs in, another account is selected, or the ended one is signed out.
    /// - Throws: when that cannot be known.
    public func lookUp(scopes: Set<String> = []) async throws -> AccountLookup {
        try await lookUp(scopes: scopes, at: state.withLock { $0 })
    }

    /// The signed-in account, after a sign-in when nobody is signed in, or when the session of the active account has ended.
    /// - Throws: ``ChainError`` or the provider's error when the user did not sign in, ``SessionError/ended(_:reason:)`` when
    ///   the active account's session has ended and no sign-in can be shown.
    @discardableResult
    public func signIn(scopes: Set<String> = []) async throws -> AccountID {
        try await adopt(scopes) { try await $0.signIn($1) }.account
    }

    /// ``signIn(scopes:)`` with all that is known of the account.
    /// - Throws: as ``signIn(scopes:)``.
    func signInEvent(scopes: Set<String>) async throws -> IdentityEvent {
        try await adopt(scopes) { try await $0.signIn($1) }.event
    }

    /// Lets the user sign in with the provider called `name`, even when somebody is signed in.
    /// - Throws: ``ChainUsageError``, ``ChainError`` or the provider's error when the user did not sign in.
    @discardableResult
    public func signIn(with name: String, scopes: Set<String> = []) async throws -> AccountID {
        try await adopt(scopes) { snapshot, context in
            guard let chain = snapshot.provider as? IdentityProviderChain else {
                throw ChainUsageError.unknownProvider(name, known: snapshot.provider.realms.sorted())
            }
            return try await chain.signIn(with: name, scopes: context.scopes, deviceToken: context.deviceToken)
                .map(AccountLookup.found) ?? .none(.cannotShowSignIn)
        }.account
    }

    /// Makes another signed-in account the active one.
    /// - Throws: ``ChainUsageError``, ``ChainError``, or ``SessionError/notSignedIn(_:)``.
    public func select(_ account: AccountID) async throws {
        let context = try await context()
        let snapshot = state.withLock { $0 }
        guard let chain = snapshot.provider as? IdentityProviderChain else {
            throw ChainUsageError.unknownRealm(account, known: snapshot.provider.realms.sorted())
        }
        try await chain.select(account, scopes: [], deviceToken: context.deviceToken)
        learn(.signedIn(account), at: snapshot)
    }

    /// Ends the session of the active account, also one that has ended already: then that is the person's decision, and
    /// the next look goes on.
    /// - Throws: when the local session could not be ended.
    public func signOut() async throws {
        guard let account = IdentityEvent(try await lookUp()).account else { return }
        try await signOut(account)
    }

    /// Ends the session of `account`.
    /// - Throws: when the local session could not be ended, or no provider answers for the account.
    public func signOut(_ account: AccountID) async throws {
        let snapshot = state.withLock { $0 }
        try await snapshot.provider.signOut(account)
        if state.withLock({ $0.active == account || $0.known == account }) { learn(.signedOut, at: snapshot) }
    }

    // MARK: Acting for the account

    /// A current access token of the active account.
    /// - Throws: ``ClientError/notSignedIn(_:)`` when nobody is signed in, ``SessionError/ended(_:reason:)`` when the active
    ///   account's session has ended, otherwise what the provider throws.
    public func accessToken(scopes: Set<String> = []) async throws -> String {
        // The usual case by itself: whom to act for is known, and nothing else is waited for.
        let known = state.withLock { $0.acting }
        let acting = if let known { known } else { try await acting(scopes: scopes) }
        return try await noticingEnd(of: acting) {
            try await acting.provider.accessToken(for: acting.account, scopes: scopes)
        }
    }

    /// Another access token of the active account than the one a server has just refused with 401.
    /// - Throws: as ``accessToken(scopes:)``.
    public func accessToken(scopes: Set<String> = [], replacing rejectedToken: String) async throws -> String {
        let acting = try await acting(scopes: scopes)
        return try await noticingEnd(of: acting) {
            try await acting.provider.accessToken(for: acting.account, scopes: scopes, replacing: rejectedToken)
        }
    }

    /// Asks for more scopes, or for a challenge of the backend.
    /// - Throws: ``ClientError/notSignedIn(_:)``, otherwise what the provider throws.
    @discardableResult
    public func requestAuthorization(scopes: Set<String>) async throws -> Data? {
        let token = try await context().deviceToken
        let acting = try await acting(scopes: [])
        return try await noticingEnd(of: acting) {
            try await acting.provider.requestAuthorization(for: acting.account, scopes: scopes, deviceToken: token)
        }
    }

    /// Sends `request` with the active account's token. A token that is refused with 401 is replaced once and the
    /// request sent once more.
    /// - Throws: ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine, otherwise what the provider or
    ///   the transport throws. A second 401 is returned as it is.
    public func data(
        for request: URLRequest, scopes: Set<String> = []
    ) async throws -> (Data, HTTPURLResponse) {
        try request.checkMayCarryToken()
        let acting = try await acting(scopes: scopes)
        return try await noticingEnd(of: acting) {
            try await acting.provider.send(
                request, for: acting.account, scopes: scopes, using: environment.transport)
        }
    }

    /// `request` as the active account may send it with another library: ``SessionProvider/authorize(_:for:scopes:)``.
    /// - Throws: ``ClientError``, otherwise what the provider throws.
    public func authorize(_ request: URLRequest, scopes: Set<String> = []) async throws -> URLRequest {
        try request.checkMayCarryToken()
        let acting = try await acting(scopes: scopes)
        return try await noticingEnd(of: acting) {
            try await acting.provider.authorize(request, for: acting.account, scopes: scopes)
        }
    }

    /// `request`, which was refused with 401, once more; `nil` when there is nothing else to try:
    /// ``SessionProvider/reauthorize(_:after:for:scopes:)``.
    /// - Throws: ``ClientError``, otherwise what the provider throws.
    public func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse? = nil, scopes: Set<String> = []
    ) async throws -> URLRequest? {
        try request.checkMayCarryToken()
        let acting = try await acting(scopes: scopes)
        return try await noticingEnd(of: acting) {
            try await acting.provider.reauthorize(
                request, after: response, for: acting.account, scopes: scopes)
        }
    }

    // MARK: Events

    /// Who is signed in, now and from now on. A new listener first gets the current state as this client knows it.
    public func events() -> AsyncStream<IdentityEvent> {
        broadcaster.stream()
    }

    // MARK: State

    /// The provider that is in use now.
    var provider: any SessionProvider { state.withLock { $0.provider } }

    /// What providers are asked with. The identifier of this physical device is made once, kept in the shared store, and
    /// worth nothing elsewhere.
    func context(_ scopes: Set<String> = []) async throws -> RequestContext {
        let content = try await environment.observedStore.valueMadeOnce(for: StoreKey(.device, "token")) {
            Data(try environment.random.bytes(16).hexEncoded.utf8)
        }
        return RequestContext(scopes: scopes, deviceToken: String(decoding: content, as: UTF8.self))
    }

    private func lookUp(scopes: Set<String>, at snapshot: ClientState) async throws -> AccountLookup {
        let lookup = try await snapshot.look(context(scopes))
        learn(IdentityEvent(lookup), at: snapshot)
        return lookup
    }

    /// The account to act for with its provider: read together, so that a reload never parts them.
    private func acting(scopes: Set<String>) async throws -> ClientState.Acting {
        let snapshot = state.withLock { $0 }
        if let acting = snapshot.acting { return acting }
        switch try await lookUp(scopes: scopes, at: snapshot) {
        case .found(let account), .fallback(let account, _):
            return ClientState.Acting(provider: snapshot.provider, account: account)
        case .none(.activeSessionEnded(let account, let reason)): throw SessionError.ended(account, reason: reason)
        case .none(let reason): throw ClientError.notSignedIn(reason.description)
        }
    }

    /// The account that a sign-in came to is the active one from now on.
    private func adopt(
        _ scopes: Set<String>, _ signIn: (ClientState, RequestContext) async throws -> AccountLookup
    ) async throws -> (account: AccountID, event: IdentityEvent) {
        let context = try await context(scopes)
        let snapshot = state.withLock { $0 }
        let lookup = try await signIn(snapshot, context)
        guard let account = lookup.account else {
            throw ClientError.notSignedIn(AbsenceReason.cannotShowSignIn.description)
        }
        let event = IdentityEvent(lookup)
        learn(event, at: snapshot)
        return (account, event)
    }

    /// What `work` for `acting` comes to. That the session has ended is news, and who is active has to be found anew.
    private func noticingEnd<Result>(
        of acting: ClientState.Acting, _ work: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch SessionError.ended(let account, let reason) where account == acting.account {
            state.withLock { state in
                if state.acting === acting { tell(.sessionEnded(account, reason: reason), to: &state) }
            }
            deliver()
            throw SessionError.ended(account, reason: reason)
        } catch SessionError.cannotRefresh(let account) where account == acting.account {
            // Whether that is the end of the session, the next look tells.
            state.withLock { state in
                if state.acting === acting { state.active = nil }
            }
            throw SessionError.cannotRefresh(account)
        }
    }

    /// What was learnt from a provider is of no use once another has taken its place.
    private func learn(_ event: IdentityEvent, at snapshot: ClientState) {
        state.withLock { state in
            if state.epoch == snapshot.epoch { tell(event, to: &state) }
        }
        deliver()
    }

    /// Takes `event` over into the state. It is put in the queue under the lock, so that listeners learn of changes in their
    /// order, and has to be delivered after it.
    private func tell(_ event: IdentityEvent, to state: inout ClientState) {
        if state.learn(event) { enqueue(event, isState: true) }
    }

    private func enqueue(_ event: IdentityEvent, isState: Bool = false) {
        broadcaster.enqueue(event, isState: isState)
        environment.observers.enqueue(.client(event))
    }

    private func deliver() {
        broadcaster.deliver()
        environment.observers.deliver()
    }

    /// Tells listeners and observers something that changes nothing here.
    func tell(_ event: IdentityEvent) {
        enqueue(event)
        deliver()
    }

    /// Another process of the same store, or another client in this one, may choose another account.
    private func listen() {
        let changes = environment.store.changes()
        let task = Task { [weak self] in
            for await change in changes where change.key.collection == .selections {
                guard let self else { return }
                self.state.withLock { $0.active = nil }
            }
        }
        listening.withLock { $0 = task }
    }
}
