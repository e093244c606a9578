import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Several providers in order, as one.
///
/// - A provider without an account (`nil`) lets the next one be asked; one that fails stops the walk, because a wrong
///   identity is worse than no identity.
/// - Everybody is asked silently first. Only when nobody has an account may a provider show a sign-in, so that the login
///   page of an earlier provider never hides the session of a later one.
/// - The account that was found is chosen, and with a store the choice is kept and shared: every process asks the chosen
///   provider first. It changes by signing in, signing out and ``select(_:scopes:deviceToken:)``, and when its provider
///   says that the account is gone.
/// - A chosen account whose session has ended stays chosen, and the answer is that its session has ended, until the app or
///   the person decides; see ``SessionEndPolicy``.
/// - Once there is an account, calls for it go straight to its provider, by realm. They never fall back.
///
/// A chain is itself a provider, so chains nest. Give the store to the outermost one alone.
public final class IdentityProviderChain: SessionProvider {
    /// What a chain needs besides its links.
    public struct Options: Sendable {
        /// Where the chosen account is kept; `nil` for a chain that chooses anew each time.
        public var store: (any TokenStore)?
        /// The configuration's profile. Each has a choice of its own.
        public var profile: String
        /// Which providers take part.
        public var override: ProviderOverride?
        /// What happens when the session of the chosen account has ended.
        public var onSessionEnd: SessionEndPolicy
        /// The clock of deadlines and pauses.
        public var time: TimeSource
        /// Who is told of the chain's decisions, and of conflicts in the store.
        public var observers: IdentityObservers?

        /// Options.
        public init(
            store: (any TokenStore)? = nil, profile: String = "default", override: ProviderOverride? = nil,
            onSessionEnd: SessionEndPolicy = .ask, time: TimeSource = .system, observers: IdentityObservers? = nil
        ) {
            self.store = store
            self.profile = profile
            self.override = override
            self.onSessionEnd = onSessionEnd
            self.time = time
            self.observers = observers
        }
    }

    /// The links, in the order in which they were given.
    public let links: [Link]
    /// The realms of all links.
    public let realms: Set<String>

    let resolver: ChainResolver
    let selection: ChainSelection?
    let override: ProviderOverride?
    let onSessionEnd: SessionEndPolicy
    let lookups = Coalescer<SilentQuestion, ChainResult>()
    let signIns = Coalescer<SignInRequest, ChainResult>()
    let screen = Coalescer<Screen, SignInAnswer>()

    private let routes: [ChainRoute]

    /// Puts a chain together.
    /// - Parameters:
    ///   - links: the providers in the order in which they are asked.
    ///   - options: where the choice is kept, and who takes part.
    ///   - observe: is told of every attempt as it ends, of changes of the choice and of failed walks.
    /// - Throws: ``ChainUsageError/ambiguous(_:)``, or ``ChainUsageError/unknownProvider(_:known:)`` when the override
    ///   names a provider that is not there.
    public init(
        _ links: [Link], options: Options = Options(), observe: @escaping @Sendable (ChainEvent) -> Void = { _ in }
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
        override = options.override
        onSessionEnd = options.onSessionEnd
        selection = options.store.map { store in
            let observed = options.observers.map { ObservedTokenStore(store, $0) }
            return ChainSelection(store: observed ?? store, profile: options.profile)
        }
        let participants = try options.override?.split(links) ?? (included: links, excluded: [])
        routes = links.flatMap { link in
            let isExcluded = participants.excluded.contains { $0.name == link.name }
            return link.realms.sorted().map { ChainRoute(realm: $0, link: link, isExcluded: isExcluded) }
        }
        resolver = ChainResolver(
            links: participants.included, excluded: participants.excluded, options, observe: observe)
    }

    /// Whether any provider that takes part may show a sign-in.
    public var mayShowSignIn: Bool { resolver.mayShowSignIn }

    // MARK: Routing by account

    /// Asks the account's provider.
    /// - Throws: ``ChainUsageError`` when no provider answers for the account, else what the provider throws.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await route(to: accountID).provider
            .requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    /// The token of the account's provider.
    /// - Throws: ``ChainUsageError`` when no provider answers for the account, else what the provider throws.
    public func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        try await route(to: accountID).provider.accessToken(for: accountID, scopes: scopes)
    }

    /// A newer token of the account's provider; what it has when it cannot replace one.
    /// - Throws: ``ChainUsageError`` when no provider answers for the account, else what the provider throws.
    public func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String {
        let route = try route(to: accountID)
        guard let provider = route.link.managed else {
            return try await route.provider.accessToken(for: accountID, scopes: scopes)
        }
        return try await provider.accessToken(for: accountID, scopes: scopes, replacing: rejectedToken)
    }

    /// `request` with what the account's provider puts into it; a bearer token for a provider of three methods.
    /// - Throws: ``ChainUsageError`` when no provider answers for the account, else what the provider throws.
    public func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest {
        let route = try route(to: accountID)
        guard let provider = route.link.managed else {
            return try request.bearing(try await route.provider.accessToken(for: accountID, scopes: scopes))
        }
        return try await provider.authorize(request, for: accountID, scopes: scopes)
    }

    /// `request` once more, when the account's provider has something else to put into it.
    /// - Throws: ``ChainUsageError`` when no provider answers for the account, else what the provider throws.
    public func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest? {
        let route = try route(to: accountID)
        guard let provider = route.link.managed else {
            let token = try await route.provider.accessToken(for: accountID, scopes: scopes)
            return token == request.bearerToken ? nil : try request.bearing(token)
        }
        return try await provider.reauthorize(request, after: response, for: accountID, scopes: scopes)
    }

    /// Ends the session at the account's provider, when that provider keeps one, and forgets the choice of the account.
    /// - Throws: ``ChainUsageError`` when no provider answers for the account, ``TokenStoreError``, else what the provider
    ///   throws.
    public func signOut(_ accountID: AccountID) async throws {
        try await route(to: accountID).link.managed?.signOut(accountID)
        if let selection, try await selection.clear(accountID) {
            resolver.report(.selectionChanged(SelectionChange(from: accountID, to: nil, reason: .signedOut)))
        }
    }

    /// The way to the provider that answers for `account`.
    func route(to account: AccountID) throws -> ChainRoute {
        guard let route = routes.first(where: { $0.realm.hasBytes(of: account.realm) }) else {
            throw ChainUsageError.unknownRealm(account, known: realms.sorted())
        }
        if route.isExcluded {
            throw ChainUsageError.excluded(provider: route.link.name, override: override?.origin ?? "")
        }
        return route
    }
}

/// The way from a realm to its provider.
///
/// Every token call takes it, so it is a reference, cheap to pass on, and is looked for in a list: chains are short, and
/// comparing a few names costs less than hashing one.
final class ChainRoute: Sendable {
    let realm: String
    let provider: any IdentityProvider
    let link: IdentityProviderChain.Link
    let isExcluded: Bool

    init(realm: String, link: IdentityProviderChain.Link, isExcluded: Bool) {
        self.realm = realm
        self.link = link
        self.isExcluded = isExcluded
        provider = link.provider
    }
}
