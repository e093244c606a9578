/// The state of a client at one moment: its chain, and the account it acts for.
struct ClientState: Sendable {
    private(set) var chain: IdentityProviderChain {
        didSet { updateActing() }
    }
    /// The configuration that the chain was made from; `nil` when the app made the provider.
    private(set) var setup: ClientSetup?
    /// The active account; `nil` when it has to be looked up before the next call.
    var active: AccountID? {
        didSet { updateActing() }
    }
    private(set) var acting: Acting?
    /// The last event about who is signed in, with the session that it is about; ``IdentityEvent/signedOut`` before the
    /// first event.
    var current = CurrentSession(IdentityEvent.signedOut)
    /// The number of times that the chain was replaced.
    private(set) var epoch = 0
    /// The generation of the last choice of an account that this client has heard of, and the number of those.
    private(set) var heardChoice = (generation: UInt64(0), count: 0)

    /// An account and its chain. It is a class, so that a call for a token copies only a reference.
    final class Acting: Sendable {
        let chain: IdentityProviderChain
        let account: AccountID
        /// The provider of the account, so that calls for tokens skip the routing of the chain. If the chain cannot route the
        /// account, this is the chain itself, whose calls then throw the error.
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

    /// Records a change in the store that may have replaced the active account. Later calls join no look-up that may have read
    /// the former choice.
    mutating func hear(_ change: StoreChange) {
        active = nil
        guard change.key == chain.choiceKey else { return }
        heardChoice = (change.generation, heardChoice.count + 1)
        chain.noteChange()
    }

    /// Whether somebody replaced the choice since `snapshot` that a look-up is based on.
    func isOvertaken(_ choices: ClosedRange<UInt64>?, since snapshot: ClientState) -> Bool {
        heardChoice.count != snapshot.heardChoice.count && choices?.contains(heardChoice.generation) == false
    }

    /// The last event about who is signed in; ``IdentityEvent/signedOut`` before the first.
    var announced: IdentityEvent { current.known ?? .signedOut }

    /// The account of the last event, even if its session has ended; `nil` after a sign-out.
    var known: AccountID? { current.session?.account }

    /// Records `event`, and the active account that follows from it.
    /// - Parameter isChoice: whether the account was signed in or selected, which makes the results of earlier look-ups
    ///   obsolete.
    /// - Returns: whether listeners have to receive the event, because it does not repeat the last one.
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

    /// The events that describe the result of a look-up, usually one. If the session of the active account has ended
    /// since the last event and another account replaces it, there are two: the end of the session, and then the
    /// fallback.
    func news(in lookup: AccountLookup) -> [IdentityEvent] {
        let event = IdentityEvent(lookup)
        guard case .fellBack(_, let fallback) = event, fallback.cause == .ended,
            announced.activeAccount == fallback.from
        else { return [event] }
        // Report the end of the session first, because listeners have received no event about it.
        return [.sessionEnded(fallback.from, reason: fallback.reason), event]
    }

    /// Whether `acting` is still the active account in the current chain. While the active account has to be looked up,
    /// the account of the last event counts as active.
    func actsStill(as acting: Acting) -> Bool {
        if let current = self.acting { return current === acting }
        return acting.chain === chain && known == acting.account
    }
}

/// A configuration and the chain that was made from it. It is a class, because the state of a client is copied often.
final class ClientSetup: Sendable {
    /// The arguments for making a chain, besides the configuration.
    struct Recipe: Sendable {
        let registry: ProviderRegistry
        let environment: IdentityEnvironment
        let override: ProviderOverride?
        let requiresProviderVariable: Bool
    }

    let configuration: IdentityConfiguration
    let chain: IdentityProviderChain
    /// The addresses to which the configuration sends the tokens of each provider.
    let destinations: DestinationRules
    /// The certificates in the settings of the providers, by the provider's name.
    let certificates: [String: TrustedCertificates]

    /// The transports that have been used for the providers in ``certificates``, by the provider's name.
    private let transports = Locked<[String: any HTTPTransport]>([:])
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
        certificates = configuration.certificates(in: recipe.environment)
    }

    /// Returns the transport for requests that carry tokens of the provider called `name`. In addition to the usual
    /// certificates, this transport trusts those in the provider's settings.
    func transport(for name: String) -> any HTTPTransport {
        let usual = recipe.environment.transport
        guard let certificates = certificates[name] else { return usual }
        if let transport = transports.withLock({ $0[name] }) { return transport }
        // Reads a file, so the lock is not held.
        let transport = usual.adding(certificates)
        transports.withLock { $0[name] = transport }
        return transport
    }

    /// The preset of the provider called `name`; `nil` when its type is no preset, or when there is no such provider.
    func preset(of name: String) -> ProviderPreset? {
        guard let type = configuration.providers.first(where: { $0.name == name })?.type else { return nil }
        return recipe.registry.preset(of: type)
    }

    /// Makes the setup for another configuration. Providers whose configuration is unchanged are reused.
    /// - Throws: ``ConfigurationError/storeChanged`` and what making the chain throws.
    func reconfigured(_ new: IdentityConfiguration) throws -> ClientSetup {
        guard new.store == configuration.store else { throw ConfigurationError.storeChanged }
        return try ClientSetup(configuration: new, recipe: recipe, reusing: providers)
    }
}
