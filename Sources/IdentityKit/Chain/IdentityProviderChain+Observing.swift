extension IdentityProviderChain {
    /// Creates a chain that passes its events to `observe`.
    /// - Parameters:
    ///   - links: the providers in the order in which they are tried.
    ///   - options: the store of the chosen account, and other settings.
    ///   - observe: receives each event of the chain. The chain calls it synchronously and waits for its return.
    /// - Throws: an error with the code `ambiguous_chain` when two links share a name or a realm, or `unknown_provider`
    ///   when the override of the options names an unknown provider.
    public convenience init(
        _ links: [Link], options: Options = Options(), observe: @escaping @Sendable (ObservedEvent) -> Void
    ) throws {
        var options = options
        options.emit = { [emit = options.emit] event in
            emit?(event)
            observe(ObservedEvent(.chain(event)))
        }
        try self.init(links, options: options)
    }
}

extension IdentityProviderChain.Options {
    /// Creates options that report to `observers`: the events of the chain, and the conflicts, failures and quarantined
    /// records of the store.
    public init(
        store: (any TokenStore)? = nil, profile: String = "default", override: ProviderOverride? = nil,
        onSessionEnd: SessionEndPolicy = .ask, time: TimeSource = .system, observers: IdentityObservers
    ) {
        self.init(
            store: store.map { ObservedTokenStore($0, observers) }, profile: profile, override: override,
            onSessionEnd: onSessionEnd, time: time)
        emit = { observers.emit(.chain($0)) }
    }
}
