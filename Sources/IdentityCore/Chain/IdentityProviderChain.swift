import Foundation

/// Combines several providers, in order, into one.
///
/// - When a provider has no account (`nil`), the next one is tried. When a provider fails, no other is tried, because a
///   wrong account is worse than none. A ``Link`` can allow exceptions.
/// - All providers are first tried silently. A provider may show a sign-in only when no usable account is found, so that
///   the sign-in page of an earlier provider does not hide the session of a later one.
/// - The account that was found becomes the chosen one. A chain with a store keeps the choice there, and all processes
///   share it: each first tries the provider of the chosen account. The choice changes by signing in, signing out and
///   ``select(_:scopes:deviceToken:)``, and when the account is no longer signed in.
/// - A chosen account whose session has ended stays chosen until the app or the user decides; see ``SessionEndPolicy``.
/// - Calls for an account go only to the provider with the account's realm. The realm is the provider's name in the
///   account's identifier.
///
/// A chain is itself a provider, so chains nest. Give the store to the outermost one only.
public final class IdentityProviderChain: AccountProvider {
    /// The providers in the order in which they are tried, including providers that the override excludes.
    public let links: [Link]
    /// The realms of all links, also of those that the override excludes. No realm belongs to two links.
    public let realms: Set<String>

    let resolver: ChainResolver
    let selection: ChosenAccount?
    let override: ProviderOverride?
    let onSessionEnd: SessionEndPolicy
    let lookups = Coalescer<Inquiry, ChainResult>()
    let signIns = Coalescer<CallerContext, ChainResult>()
    let screen = Coalescer<Screen, SignInOutcome>()
    /// The number of choices that a person has made. A sign-out compares the number to detect a choice that was made meanwhile.
    let choices = Locked(0)

    private let routes: ChainRoutes

    /// Creates a chain of `links`.
    /// - Parameters:
    ///   - links: the providers in the order in which they are tried.
    ///   - store: the store of the chosen account; `nil` for a chain that keeps no choice.
    ///   - profile: the configuration's profile. Each profile has its own choice.
    ///   - override: restricts the chain to some of its providers; `nil` when all take part.
    ///   - onSessionEnd: whether the chain keeps or replaces the chosen account when its session has ended.
    ///   - time: the clock for the deadlines of lookups, and for the pauses before a backend that could not be reached is
    ///     tried again.
    /// - Throws: an error with the code `ambiguous_chain` when two links share a name or a realm, or `unknown_provider`
    ///   when the override names an unknown provider.
    public convenience init(
        _ links: [Link], store: (any TokenStore)? = nil, profile: String = "default", override: ProviderOverride? = nil,
        onSessionEnd: SessionEndPolicy = .ask, time: TimeSource = .system
    ) throws {
        try self.init(
            links, emitting: nil, store: store, profile: profile, override: override, onSessionEnd: onSessionEnd,
            time: time)
    }

    /// Creates a chain that calls `emit` synchronously with each event of the chain.
    package init(
        _ links: [Link], emitting emit: (@Sendable (ChainEvent) -> Void)?, store: (any TokenStore)?, profile: String,
        override: ProviderOverride?, onSessionEnd: SessionEndPolicy, time: TimeSource
    ) throws {
        var names: Set<String> = []
        var realms: Set<String> = []
        for link in links {
            guard names.insert(link.name).inserted else { throw ChainUsageError.ambiguous(link.name) }
            if let shared = realms.intersection(link.realms).min() { throw ChainUsageError.ambiguous(shared) }
            realms.formUnion(link.realms)
        }
        self.links = links
        self.realms = realms
        self.override = override
        self.onSessionEnd = onSessionEnd
        selection = store.map { ChosenAccount(ofProfile: profile, in: $0) }
        let participants = try override?.split(links) ?? (included: links, excluded: [])
        let excluded = Set(participants.excluded.map(\.name))
        routes = ChainRoutes(links, excluding: excluded)
        resolver = ChainResolver(
            links: participants.included, excluded: participants.excluded, by: override, onSessionEnd: onSessionEnd,
            time: time, emit: emit)
    }

    /// Creates the chain of a client that was given a single `provider`. If the provider is a chain, its links and
    /// settings are used. Unless the provider is a chain with a store, the new chain keeps the choice in memory.
    package init(of provider: any IdentityProvider, time: TimeSource) {
        let given = provider as? IdentityProviderChain
        let sole = Link("provider", provider, silentDeadline: .unlimited).namedByRealm
        links = given?.links ?? [sole]
        realms = given?.realms ?? sole.realms
        override = given?.override
        onSessionEnd = given?.onSessionEnd ?? .ask
        selection = given?.selection ?? ChosenAccount(ofProfile: "", in: MemoryTokenStore())
        routes = given?.routes ?? ChainRoutes([sole])
        resolver = given?.resolver ?? ChainResolver(sole: sole, time: time)
    }

    /// Records that the choice or a session has changed, so that later callers do not share the answers to earlier lookups. A
    /// sign-in that is on the screen is still shared.
    package func noteChange() {
        lookups.beginAnew()
        signIns.beginAnew()
    }

    /// The key of the record that stores which account is chosen; `nil` for a chain that keeps no choice.
    package var choiceKey: StoreKey? { selection?.key }

    /// Whether any provider that takes part may show a sign-in.
    public var mayShowSignIn: Bool { resolver.mayShowSignIn }

    /// Requests authorization at the provider with the account's realm.
    /// - Throws: an error with the code `unknown_realm` when no provider has the account's realm, or
    ///   `provider_excluded` when the override excludes it; otherwise what the provider throws.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await route(to: accountID).provider
            .requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    /// Returns the current token from the provider with the account's realm.
    /// - Throws: an error with the code `unknown_realm` when no provider has the account's realm, or
    ///   `provider_excluded` when the override excludes it; otherwise what the provider throws.
    nonisolated(nonsending) public func accessToken(
        for accountID: AccountID, scopes: Set<String>
    ) async throws -> String {
        try await route(to: accountID).provider.accessToken(for: accountID, scopes: scopes)
    }

    /// Returns a token that is as fresh as `freshness` requires, for one resource or for the session, from the provider
    /// with the account's realm. A provider that implements only ``IdentityProvider`` has no token for a resource, and
    /// otherwise returns its current token.
    /// - Throws: an error with the code `unknown_realm` when no provider has the account's realm, or
    ///   `provider_excluded` when the override excludes it; otherwise what the provider throws.
    nonisolated(nonsending) public func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, freshness: TokenFreshness
    ) async throws -> String {
        try await route(to: accountID).provider.accessToken(
            for: accountID, scopes: scopes, resource: resource, freshness: freshness)
    }

    /// Ends the session at the account's provider, if it has sessions. The account is no longer the chosen one, unless
    /// a person chose it again during the sign-out.
    /// - Throws: an error with the code `unknown_realm` when no provider has the account's realm, or
    ///   `provider_excluded` when the override excludes it; ``TokenStoreError``, `CancellationError`, otherwise what
    ///   the provider throws.
    public func signOut(_ accountID: AccountID) async throws { try await end(accountID) {} }

    /// Signs out as ``signOut(_:)`` does, and calls `onceOver` as soon as the session is erased from the store and no
    /// longer chosen, before the backend is informed. If the provider does not report that the session is erased, calls
    /// `onceOver` after the sign-out.
    /// - Throws: as ``signOut(_:)``, and what `onceOver` throws.
    package func end(_ account: AccountID, onceOver: @escaping @Sendable () async throws -> Void) async throws {
        let known = choices.withLock { $0 }
        let forget = { @Sendable [self] in
            do {
                // `onceOver` may look up who is signed in now.
                defer { noteChange() }
                // Clear the choice only if no person chose an account meanwhile: a slow sign-out must not undo a later
                // sign-in.
                if choices.withLock({ $0 }) == known, let selection, try await selection.clear(account) {
                    resolver.report(.selectionChanged(SelectionChange(from: account, to: nil, reason: .signedOut)))
                }
            }
            try await onceOver()
        }
        try await route(to: account).link.signOut(account, onceOver: forget)
    }

    /// The provider called `name`.
    /// - Throws: `ChainUsageError` when there is none, or the override excludes it.
    package func participant(named name: String) throws -> Link {
        guard let link = links.first(where: { $0.name == name }) else {
            throw ChainUsageError.unknownProvider(name, known: links.map(\.name))
        }
        guard includes(link) else {
            throw ChainUsageError.excluded(provider: name, override: override?.origin ?? "")
        }
        return link
    }

    /// Whether the override lets `link` take part.
    package func includes(_ link: Link) -> Bool { resolver.includes(link.name) }

    /// The link whose provider has `realm`, also one that the override excludes; `nil` when there is none.
    package func link(ofRealm realm: String) -> Link? { routes[realm]?.link }

    package func route(to account: AccountID) throws -> ChainRoute {
        guard let route = routes[account.realm] else {
            throw ChainUsageError.unknownRealm(account, known: realms.sorted())
        }
        if route.isExcluded {
            throw ChainUsageError.excluded(provider: route.link.name, override: override?.origin ?? "")
        }
        return route
    }
}
