extension IdentityProviderChain {
    /// A chain whose events are received.
    /// - Parameters:
    ///   - links: the providers in the order in which they are tried.
    ///   - options: the options.
    ///   - observe: receives the events of the chain, at once.
    /// - Throws: ``/IdentityCore/ChainUsageError``.
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
    /// Options with observers of the chain's events, and of conflicts in the store.
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
