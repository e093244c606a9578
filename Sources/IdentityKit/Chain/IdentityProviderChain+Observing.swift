extension IdentityProviderChain {
    /// Creates a chain that calls `observe` synchronously with each event of the chain.
    /// ``/IdentityCore/IdentityProviderChain/init(_:store:profile:override:onSessionEnd:time:)`` describes the other
    /// arguments.
    /// - Throws: an error with the code `ambiguous_chain` when two links share a name or a realm, or `unknown_provider`
    ///   when the override names an unknown provider.
    public convenience init(
        _ links: [Link], store: (any TokenStore)? = nil, profile: String = "default", override: ProviderOverride? = nil,
        onSessionEnd: SessionEndPolicy = .ask, time: TimeSource = .system,
        observe: @escaping @Sendable (ObservedEvent) -> Void
    ) throws {
        try self.init(
            links, emitting: { observe(ObservedEvent(.chain($0))) }, store: store, profile: profile, override: override,
            onSessionEnd: onSessionEnd, time: time)
    }

    /// Creates a chain that reports its events to `observers`, as well as the conflicts and failures of its store and the
    /// damaged records that the store sets aside. Pass the ``IdentityEnvironment/observers`` of the environment that the
    /// providers use.
    /// ``/IdentityCore/IdentityProviderChain/init(_:store:profile:override:onSessionEnd:time:)`` describes the other arguments.
    /// - Throws: an error with the code `ambiguous_chain` when two links share a name or a realm, or `unknown_provider`
    ///   when the override names an unknown provider.
    public convenience init(
        _ links: [Link], store: (any TokenStore)? = nil, profile: String = "default", override: ProviderOverride? = nil,
        onSessionEnd: SessionEndPolicy = .ask, time: TimeSource = .system, observers: IdentityObservers
    ) throws {
        try self.init(
            links, emitting: { observers.emit(.chain($0)) }, store: store.map { ObservedTokenStore($0, observers) },
            profile: profile, override: override, onSessionEnd: onSessionEnd, time: time)
    }
}
