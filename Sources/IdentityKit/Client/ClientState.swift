/// The state of a client at one moment: its provider, and the account it acts for.
struct ClientState: Sendable {
    private(set) var provider: any SessionProvider {
        didSet { updateActing() }
    }
    /// How the provider was made; `nil` for one that was handed in.
    private(set) var setup: ClientSetup?
    /// The account to act for; `nil` when it has to be looked up.
    var active: AccountID? {
        didSet { updateActing() }
    }
    private(set) var acting: Acting?
    /// The last event that listeners received about who is signed in.
    private var announced = IdentityEvent.signedOut
    /// How often the provider was replaced.
    private(set) var epoch = 0

    /// An account and its provider, read together. It is a reference because every call for a token copies it.
    final class Acting: Sendable {
        let provider: any SessionProvider
        let account: AccountID
        /// What has the account's tokens: in a chain the account's own provider, which does not change.
        let tokens: any IdentityProvider

        init(provider: any SessionProvider, account: AccountID) {
            self.provider = provider
            self.account = account
            let chain = provider as? IdentityProviderChain
            tokens = (try? chain?.route(to: account).provider) ?? provider
        }
    }

    private mutating func updateActing() {
        acting = active.map { Acting(provider: provider, account: $0) }
    }

    init(provider: any SessionProvider, setup: ClientSetup? = nil) {
        self.provider = provider
        self.setup = setup
    }

    mutating func replace(_ provider: any SessionProvider, setup: ClientSetup?, keepsActive: Bool) {
        self.provider = provider
        self.setup = setup
        if !keepsActive { active = nil }
        epoch += 1
    }

    /// The account of the last event, also when its session has ended.
    var known: AccountID? { announced.account }

    /// Applies `event`.
    /// - Returns: whether it differs from the last one.
    mutating func learn(_ event: IdentityEvent) -> Bool {
        active = event.isForNow ? nil : event.activeAccount
        defer { announced = event }
        return !event.repeats(announced)
    }
}

/// A configuration and the chain that was made from it. It is a reference because the state of a client is copied.
final class ClientSetup: Sendable {
    /// The other arguments that a chain is made with.
    struct Recipe: Sendable {
        let registry: ProviderRegistry
        let environment: IdentityEnvironment
        let override: ProviderOverride?
        let requiresProviderVariable: Bool
        let observe: @Sendable (ChainEvent) -> Void
    }

    let configuration: IdentityConfiguration
    let chain: IdentityProviderChain

    private let recipe: Recipe
    private let providers: [ProviderConfiguration: any IdentityProvider]

    init(
        configuration: IdentityConfiguration, recipe: Recipe,
        reusing built: [ProviderConfiguration: any IdentityProvider] = [:]
    ) throws {
        self.configuration = configuration
        self.recipe = recipe
        providers = try recipe.registry.makeProviders(
            for: configuration, environment: recipe.environment, reusing: built)
        chain = try recipe.registry.makeChain(
            for: configuration, of: providers, environment: recipe.environment, override: recipe.override,
            requiresProviderVariable: recipe.requiresProviderVariable, observe: recipe.observe)
    }

    /// The same app with another configuration. Providers that are configured as before are the same objects.
    /// - Throws: ``ConfigurationError/storeChanged`` and what making the chain throws.
    func reconfigured(_ new: IdentityConfiguration) throws -> ClientSetup {
        guard new.store == configuration.store else { throw ConfigurationError.storeChanged }
        return try ClientSetup(configuration: new, recipe: recipe, reusing: providers)
    }
}

extension ClientState {
    /// Who is signed in, without showing anything.
    ///
    /// A chain that stores its choice finds out itself whose session has ended. With any other provider the known account
    /// is looked up as well, so that no other account takes its place.
    /// - Throws: what the provider throws.
    func look(_ context: RequestContext) async throws -> AccountLookup {
        let lookup = try await provider.silentAccount(context)
        guard !keepsChoice, let known, known != lookup.account, provider.realms.containsBytes(of: known.realm),
            case .none(let reason) = try await provider.silentAccount(known, context), let loss = reason.ofActive(known)
        else { return lookup }
        return .none(loss)
    }

    /// Who is signed in, after a sign-in when no account is.
    /// - Throws: ``/IdentityCore/SessionError/ended(_:reason:)`` or
    ///   ``/IdentityCore/SessionError/belongsElsewhere(_:reason:)`` when that is the active account's session and no sign-in
    ///   can be shown, otherwise what the provider throws.
    func signIn(_ context: RequestContext) async throws -> AccountLookup {
        let chain = provider as? IdentityProviderChain
        if let chain, keepsChoice { return try await chain.activeLookup(context) }
        let lookup = try await look(context)
        if case .fallback = lookup { return lookup }
        if case .suspended(let account, _) = lookup {
            return try await provider.signIn(again: account, context).map(AccountLookup.found) ?? lookup
        }
        guard known != nil, case .none(let reason) = lookup, let error = reason.sessionError else {
            return try await provider.activeAccount(scopes: context.scopes, deviceToken: context.deviceToken)
                .map(AccountLookup.found) ?? .none(.cannotShowSignIn)
        }
        guard let account = try await provider.signIn(again: error.account, context) else { throw error }
        return .found(account)
    }

    /// Whether the provider stores which account is active.
    private var keepsChoice: Bool { (provider as? IdentityProviderChain)?.selection != nil }
}
