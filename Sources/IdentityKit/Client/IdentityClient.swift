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
    private let provider: Locked<any ManagedIdentityProvider>
    private let active = Locked<AccountID?>(nil)
    private let environment: IdentityEnvironment
    private let broadcast = EventBroadcast()

    /// A client of one provider, which may be a chain.
    public init(provider: any ManagedIdentityProvider, environment: IdentityEnvironment) {
        self.provider = Locked(provider)
        self.environment = environment
    }

    /// A client of the providers a configuration names.
    /// - Throws: ``ConfigurationError``, ``TokenStoreError``, or what a provider says of its settings.
    public convenience init(
        configuration: IdentityConfiguration, registry: ProviderRegistry,
        prompter: (any FlowPrompter)? = nil, webAuthenticator: (any WebAuthenticator)? = nil
    ) throws {
        let environment = IdentityEnvironment(
            store: try configuration.store.open(), prompter: prompter, webAuthenticator: webAuthenticator)
        self.init(
            provider: try registry.makeChain(for: configuration, environment: environment), environment: environment)
    }

    /// Replaces the providers while the app runs. Stored accounts stay; who is active is found anew.
    public func use(_ newProvider: any ManagedIdentityProvider) {
        provider.withLock { $0 = newProvider }
        setActive(nil)
    }

    // MARK: Who is signed in

    /// The signed-in account, found without showing anything; `nil` when nobody is signed in.
    /// - Throws: when that cannot be known, for example because the store is locked.
    public func account(scopes: Set<String> = []) async throws -> AccountID? {
        try await lookUp(scopes: scopes).account
    }

    /// The signed-in account, or why there is none.
    /// - Throws: when that cannot be known.
    public func lookUp(scopes: Set<String> = []) async throws -> AccountLookup {
        let lookup = try await currentProvider.silentAccount(scopes: scopes, deviceToken: deviceToken())
        setActive(lookup.account)
        return lookup
    }

    /// The signed-in account, after a sign-in when nobody is signed in.
    /// - Throws: ``ChainError`` or the provider's error when the user did not sign in.
    @discardableResult
    public func signIn(scopes: Set<String> = []) async throws -> AccountID {
        let token = try await deviceToken()
        let account = try await currentProvider.activeAccount(scopes: scopes, deviceToken: token)
        return try adopt(account)
    }

    /// Lets the user sign in with the provider called `name`, even when somebody is signed in.
    /// - Throws: ``ChainUsageError``, ``ChainError`` or the provider's error when the user did not sign in.
    @discardableResult
    public func signIn(with name: String, scopes: Set<String> = []) async throws -> AccountID {
        let token = try await deviceToken()
        guard let chain = currentProvider as? IdentityProviderChain else {
            throw ChainUsageError.unknownProvider(name, known: currentProvider.realms.sorted())
        }
        return try adopt(await chain.signIn(with: name, scopes: scopes, deviceToken: token))
    }

    /// Ends the session of the active account.
    /// - Throws: when the local session could not be ended.
    public func signOut() async throws {
        guard let account = try await account() else { return }
        try await signOut(account)
    }

    /// Ends the session of `account`.
    /// - Throws: when the local session could not be ended, or no provider answers for the account.
    public func signOut(_ account: AccountID) async throws {
        try await currentProvider.signOut(account)
        if active.withLock({ $0 == account }) { setActive(nil) }
    }

    // MARK: Acting for the account

    /// A current access token of the active account.
    /// - Throws: ``ClientError/notSignedIn(_:)`` when nobody is signed in, otherwise what the provider throws.
    public func accessToken(scopes: Set<String> = []) async throws -> String {
        try await currentProvider.accessToken(for: requireAccount(scopes: scopes), scopes: scopes)
    }

    /// Asks for more scopes, or for a challenge of the backend.
    /// - Throws: ``ClientError/notSignedIn(_:)``, otherwise what the provider throws.
    @discardableResult
    public func requestAuthorization(scopes: Set<String>) async throws -> Data? {
        let token = try await deviceToken()
        return try await currentProvider.requestAuthorization(
            for: requireAccount(scopes: []), scopes: scopes, deviceToken: token)
    }

    /// Sends `request` with the active account's token. A token that is refused with 401 is replaced once and the
    /// request sent once more.
    /// - Throws: ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine, otherwise what the provider or
    ///   the transport throws. A second 401 is returned as it is.
    public func data(
        for request: URLRequest, scopes: Set<String> = []
    ) async throws -> (Data, HTTPURLResponse) {
        guard let url = request.url, url.scheme == "https" || ServerURL.isLoopback(url.host ?? "") else {
            throw ClientError.insecureRequest(request.url?.host ?? "an unknown host")
        }
        let account = try await requireAccount(scopes: scopes)
        let token = try await currentProvider.accessToken(for: account, scopes: scopes)
        let (data, response) = try await environment.transport.data(for: request.authorized(with: token))
        guard response.statusCode == 401 else { return (data, response) }
        let replacement = try await currentProvider.accessToken(for: account, scopes: scopes, replacing: token)
        guard replacement != token else { return (data, response) }
        return try await environment.transport.data(for: request.authorized(with: replacement))
    }

    // MARK: Events

    /// Who is signed in, now and from now on. A new listener first gets the current state as this client knows it.
    public func events() -> AsyncStream<IdentityEvent> {
        broadcast.stream()
    }

    private var currentProvider: any ManagedIdentityProvider {
        provider.withLock { $0 }
    }

    private func deviceToken() async throws -> String {
        try await DeviceToken.load(from: environment.store, random: environment.random)
    }

    private func requireAccount(scopes: Set<String>) async throws -> AccountID {
        if let account = active.withLock({ $0 }) { return account }
        switch try await lookUp(scopes: scopes) {
        case .found(let account): return account
        case .none(let reason): throw ClientError.notSignedIn(reason.description)
        }
    }

    private func adopt(_ account: AccountID?) throws -> AccountID {
        guard let account else { throw ClientError.notSignedIn(AbsenceReason.cannotShowSignIn.description) }
        setActive(account)
        return account
    }

    private func setActive(_ account: AccountID?) {
        let changed = active.withLock { active in
            defer { active = account }
            return active != account
        }
        if changed { broadcast.send(account.map(IdentityEvent.signedIn) ?? .signedOut) }
    }
}

extension URLRequest {
    fileprivate func authorized(with token: String) -> URLRequest {
        var copy = self
        copy.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return copy
    }
}
