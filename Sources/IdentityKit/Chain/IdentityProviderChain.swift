import Foundation

/// Several providers in order, as one.
///
/// - A provider without an account (`nil`) lets the next one be asked; one that fails stops the walk, because a wrong
///   identity is worse than no identity.
/// - Everybody is asked silently first. Only when nobody has an account may a provider show a sign-in, so that the login
///   page of an earlier provider never hides the session of a later one.
/// - Once there is an account, calls for it go straight to its provider, by realm. They never fall back.
///
/// A chain is itself a provider, so chains nest.
public final class IdentityProviderChain: ManagedIdentityProvider {
    /// One provider of a chain, under its name.
    public struct Link: Sendable {
        /// The name, unique in the chain.
        public let name: String
        /// The provider.
        public let provider: any IdentityProvider
        /// The realms of the provider's accounts.
        public let realms: Set<String>

        /// A provider with its name.
        /// - Parameter realms: the realms of its accounts; by default what a managed provider says, else `name`.
        public init(_ name: String, _ provider: any IdentityProvider, realms: Set<String>? = nil) {
            self.name = name
            self.provider = provider
            self.realms = realms ?? (provider as? any ManagedIdentityProvider)?.realms ?? [name]
        }
    }

    /// The links, in order.
    public let links: [Link]

    private let observe: @Sendable (ChainAttempt) -> Void

    /// Puts a chain together.
    /// - Parameters:
    ///   - links: the providers in the order in which they are asked.
    ///   - observe: is told of every attempt as it ends, for logs and diagnosis.
    /// - Throws: ``ChainUsageError/ambiguous(_:)``.
    public init(_ links: [Link], observe: @escaping @Sendable (ChainAttempt) -> Void = { _ in }) throws {
        var (names, realms): (Set<String>, Set<String>) = ([], [])
        for link in links {
            guard names.insert(link.name).inserted else { throw ChainUsageError.ambiguous(link.name) }
            if let shared = realms.intersection(link.realms).min() { throw ChainUsageError.ambiguous(shared) }
            realms.formUnion(link.realms)
        }
        self.links = links
        self.observe = observe
    }

    /// The realms of all links.
    public var realms: Set<String> {
        links.reduce(into: []) { $0.formUnion($1.realms) }
    }

    // MARK: Asking in order

    /// Asks every provider silently and reports each answer, without choosing anything: for diagnosis.
    public func explain(scopes: Set<String>, deviceToken: String) async -> [ChainAttempt] {
        var attempts: [ChainAttempt] = []
        for link in links {
            attempts.append(await askSilently(link, scopes: scopes, deviceToken: deviceToken))
        }
        return attempts
    }

    /// The account of the first provider that has one.
    /// - Throws: ``ChainError`` when a provider fails before one with an account is found.
    public func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup {
        try await walk { await self.askSilently($0, scopes: scopes, deviceToken: deviceToken) }
    }

    /// Lets the first provider that can show a sign-in do so.
    /// - Throws: ``ChainError`` when that provider fails or the user does not sign in.
    public func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        try await walk { await self.askInteractively($0, scopes: scopes, deviceToken: deviceToken) }.account
    }

    /// Lets the provider called `name` show a sign-in.
    /// - Throws: ``ChainUsageError/unknownProvider(_:known:)``, or ``ChainError`` when the user does not sign in.
    public func signIn(with name: String, scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        guard let link = links.first(where: { $0.name == name }) else {
            throw ChainUsageError.unknownProvider(name, known: links.map(\.name))
        }
        return try await walk([link]) {
            await self.askInteractively($0, scopes: scopes, deviceToken: deviceToken)
        }.account
    }

    private func walk(
        _ links: [Link]? = nil, asking ask: (Link) async -> ChainAttempt
    ) async throws -> AccountLookup {
        var attempts: [ChainAttempt] = []
        for link in links ?? self.links {
            try Task.checkCancellation()
            let attempt = await ask(link)
            attempts.append(attempt)
            switch attempt.outcome {
            case .account(let account): return .found(account)
            case .none: continue
            case .failed(let error as CancellationError): throw error
            case .failed(let error): throw ChainError(attempts: attempts, underlying: error)
            }
        }
        return .none(.chain(attempts))
    }

    private func askSilently(_ link: Link, scopes: Set<String>, deviceToken: String) async -> ChainAttempt {
        await attempt(link, .silent) {
            guard let provider = link.provider as? any ManagedIdentityProvider else {
                return .none(.cannotAnswerSilently)
            }
            return try await provider.silentAccount(scopes: scopes, deviceToken: deviceToken)
        }
    }

    private func askInteractively(_ link: Link, scopes: Set<String>, deviceToken: String) async -> ChainAttempt {
        await attempt(link, .interactive) {
            let account =
                if let provider = link.provider as? any ManagedIdentityProvider {
                    try await provider.signIn(scopes: scopes, deviceToken: deviceToken)
                } else {
                    try await link.provider.activeAccount(scopes: scopes, deviceToken: deviceToken)
                }
            return account.map(AccountLookup.found) ?? .none(.cannotShowSignIn)
        }
    }

    private func attempt(
        _ link: Link, _ pass: ChainAttempt.Pass, _ ask: () async throws -> AccountLookup
    ) async -> ChainAttempt {
        let clock = ContinuousClock()
        let start = clock.now
        let outcome: ChainAttempt.Outcome
        do {
            switch try await ask() {
            case .found(let account) where !link.realms.contains(account.realm):
                outcome = .failed(ChainUsageError.foreignAccount(account, provider: link.name))
            case .found(let account): outcome = .account(account)
            case .none(let reason): outcome = .none(reason)
            }
        } catch {
            outcome = .failed(error)
        }
        let attempt = ChainAttempt(
            provider: link.name, pass: pass, outcome: outcome, duration: start.duration(to: clock.now))
        observe(attempt)
        return attempt
    }

    // MARK: Routing by account

    /// Asks the account's provider.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await link(for: accountID).provider
            .requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    /// The token of the account's provider.
    public func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        try await link(for: accountID).provider.accessToken(for: accountID, scopes: scopes)
    }

    /// A newer token of the account's provider; what it has when it cannot replace one.
    public func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String {
        let link = try link(for: accountID)
        guard let provider = link.provider as? any ManagedIdentityProvider else {
            return try await link.provider.accessToken(for: accountID, scopes: scopes)
        }
        return try await provider.accessToken(for: accountID, scopes: scopes, replacing: rejectedToken)
    }

    /// Ends the session at the account's provider, when that provider keeps one.
    public func signOut(_ accountID: AccountID) async throws {
        try await (link(for: accountID).provider as? any ManagedIdentityProvider)?.signOut(accountID)
    }

    private func link(for account: AccountID) throws -> Link {
        guard let link = links.first(where: { $0.realms.contains(account.realm) }) else {
            throw ChainUsageError.unknownRealm(account, known: realms.sorted())
        }
        return link
    }
}
