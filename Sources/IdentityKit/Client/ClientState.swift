/// The state of a client at one moment: its chain, and the account it acts for.
struct ClientState: Sendable {
    private(set) var chain: IdentityProviderChain {
        didSet { updateActing() }
    }
    /// How the chain was made; `nil` for one of a provider that was handed in.
    private(set) var setup: ClientSetup?
    /// The account to act for; `nil` when it has to be looked up.
    var active: AccountID? {
        didSet { updateActing() }
    }
    private(set) var acting: Acting?
    /// The last event about who is signed in, as listeners received it.
    var current = CurrentSession(IdentityEvent.signedOut)
    /// Number of times that the chain was replaced.
    private(set) var epoch = 0

    /// An account and its chain, read together. A class, because every call for a token copies the reference.
    final class Acting: Sendable {
        let chain: IdentityProviderChain
        let account: AccountID
        /// The account's provider, looked up once so that calls for tokens skip the chain's routing; the chain itself if it
        /// cannot route the account.
        let tokens: any AccountProvider

        init(chain: IdentityProviderChain, account: AccountID) {
            self.chain = chain
            self.account = account
            tokens = (try? chain.route(to: account).provider) ?? chain
        }
    }

    private mutating func updateActing() {
        acting = active.map { Acting(chain: chain, account: $0) }
    }

    init(chain: IdentityProviderChain, setup: ClientSetup? = nil) {
        self.chain = chain
        self.setup = setup
    }

    mutating func replace(_ chain: IdentityProviderChain, setup: ClientSetup?, keepsActive: Bool) {
        self.chain = chain
        self.setup = setup
        if !keepsActive { active = nil }
        epoch += 1
    }

    /// The last event that listeners received about who is signed in.
    var announced: IdentityEvent { current.known ?? .signedOut }

    /// The account of the last event, also when its session has ended.
    var known: AccountID? { current.session?.account }

    /// Applies `event`.
    /// - Parameter isChoice: whether the account was signed in or selected, which makes earlier findings obsolete.
    /// - Returns: whether the event differs from the last one.
    mutating func learn(_ event: IdentityEvent, isChoice: Bool = false) -> Bool {
        active = event.isForNow ? nil : event.activeAccount
        let isNews = !event.repeats(announced)
        if isNews || isChoice {
            current.report(event, of: event.account, isSignIn: isChoice)
        } else {
            current.update(event)
        }
        return isNews
    }

    /// The events to send to listeners after a look-up.
    func news(in lookup: AccountLookup) -> [IdentityEvent] {
        let event = IdentityEvent(lookup)
        guard case .fellBack(_, let fallback) = event, fallback.cause == .ended,
            announced.activeAccount == fallback.from
        else { return [event] }
        // Listeners have not heard of the end of the session yet.
        return [.sessionEnded(fallback.from, reason: fallback.reason), event]
    }

    /// Whether this client still acts for `acting`, or did until the store changed.
    func actsStill(as acting: Acting) -> Bool {
        if let current = self.acting { return current === acting }
        return acting.chain === chain && known == acting.account
    }
}

/// A configuration and the chain that was made from it. A class, because the state of a client is copied often.
final class ClientSetup: Sendable {
    /// The arguments, besides the configuration, that a chain is made with.
    struct Recipe: Sendable {
        let registry: ProviderRegistry
        let environment: IdentityEnvironment
        let override: ProviderOverride?
        let requiresProviderVariable: Bool
    }

    let configuration: IdentityConfiguration
    let chain: IdentityProviderChain
    /// Which providers act at which addresses.
    let destinations: DestinationRules

    private let recipe: Recipe
    private let providers: [ProviderConfiguration: any IdentityProvider]

    init(
        configuration: IdentityConfiguration, recipe: Recipe,
        reusing built: [ProviderConfiguration: any IdentityProvider]? = nil
    ) throws {
        self.configuration = configuration
        self.recipe = recipe
        providers = try recipe.registry.makeProviders(
            for: configuration, environment: recipe.environment, reusing: built ?? [:],
            toleratesMissingVariables: built == nil)
        chain = try recipe.registry.makeChain(
            for: configuration, of: providers, environment: recipe.environment, override: recipe.override,
            requiresProviderVariable: recipe.requiresProviderVariable)
        destinations = recipe.registry.destinations(of: configuration, recipe.environment.variables)
    }

    /// The preset that the provider called `name` is configured by; `nil` without one.
    func preset(of name: String) -> ProviderPreset? {
        guard let type = configuration.providers.first(where: { $0.name == name })?.type else { return nil }
        return recipe.registry.presets.first { $0.type == type }
    }

    /// A state of the same app with another configuration. Providers that are configured as before are the same
    /// objects.
    /// - Throws: ``ConfigurationError/storeChanged`` and what making the chain throws.
    func reconfigured(_ new: IdentityConfiguration) throws -> ClientSetup {
        guard new.store == configuration.store else { throw ConfigurationError.storeChanged }
        return try ClientSetup(configuration: new, recipe: recipe, reusing: providers)
    }
}
