import Foundation

extension IdentityClient {
    /// Runs `work` for the account that acts for `request`: `account` if it is given, or else an account of a provider
    /// with a destination that contains the address, or else the active account.
    /// - Throws: ``ClientError/insecureRequest(_:)``, otherwise as ``route(to:as:scopes:)``, and what `work` throws.
    func acting<Result>(
        for request: URLRequest, as account: AccountID?, _ scopes: Set<String>,
        _ work: (ClientState.Acting) async throws -> Result
    ) async throws -> Result {
        try request.checkMayCarryToken()
        let (acting, isActive) = try await route(to: request.url, as: account, scopes: scopes)
        guard isActive else { return try await ProviderError.classifying { try await work(acting) } }
        return try await noticingEnd(of: acting) { try await work(acting) }
    }

    /// Finds the account with which a request to `address` is sent, and the chain of that account. `isActive` tells whether the
    /// account was chosen because it is the client's active account. For a given `account`, `isActive` is always `false`.
    /// - Throws: ``ClientError/notSignedIn(_:)`` if nobody is signed in at a provider with a destination that contains
    ///   the address; ``ClientError/severalAccounts(_:host:)`` if several accounts could act; `ChainUsageError` if the
    ///   provider with that destination is excluded; ``ClientError/unclearAddress(host:)``,
    ///   ``ClientError/notDestination(_:host:)``, `CancellationError`, and the errors of the store, of a provider, and
    ///   of finding the active account.
    func route(
        to address: URL?, as account: AccountID?, scopes: Set<String>
    ) async throws -> (acting: ClientState.Acting, isActive: Bool) {
        if account == nil { try checkHasActive() }
        let snapshot = state.withLock { $0 }
        let (chain, rules) = (snapshot.chain, snapshot.setup?.destinations ?? DestinationRules([]))
        func checked(_ acting: ClientState.Acting, isActive: Bool) throws -> (ClientState.Acting, Bool) {
            guard rules.allows(chain.name(of: acting.account), at: address) else {
                throw ClientError.notDestination(acting.account, host: address?.host ?? "an unknown host")
            }
            return (acting, isActive)
        }
        if let account { return try checked(.init(chain: chain, account: account), isActive: false) }
        guard let named = try rules.others(than: chain, at: address) else {
            return try checked(try await acting(scopes: scopes), isActive: true)
        }
        if let active = try await active(ofOneOf: named, in: chain, scopes: scopes) {
            return try checked(active, isActive: true)
        }
        let account = try await self.account(of: named, in: chain, host: address?.host ?? "")
        return try checked(.init(chain: chain, account: account), isActive: false)
    }

    /// The active account if it belongs to one of `providers`; `nil` if it belongs to another provider, or cannot be
    /// found.
    /// - Throws: `CancellationError`, `SessionError` if the account belongs to one of `providers` and has no usable session,
    ///   and `ChainError` if one of `providers` fails. The function does not return `nil` in these cases, because the caller
    ///   would then send the request as another person.
    private func active(
        ofOneOf providers: [String], in chain: IdentityProviderChain, scopes: Set<String> = []
    ) async throws -> ClientState.Acting? {
        do {
            let active = try await acting(scopes: scopes)
            return providers.contains(chain.name(of: active.account)) ? active : nil
        } catch let error as SessionError where providers.contains(chain.name(of: error.account)) {
            throw error
        } catch let error as ChainError where providers.contains(error.stoppedAt ?? "") {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            return nil
        }
    }

    /// The active account if it belongs to one of `providers`; `nil` if it belongs to another provider, or cannot be
    /// found.
    /// - Throws: `CancellationError`, `SessionError` if the account belongs to one of `providers` and has no usable
    ///   session, and `ChainError` if one of `providers` fails.
    package func activeAccount(ofOneOf providers: [String]) async throws -> AccountID? {
        try await active(ofOneOf: providers, in: chain)?.account
    }

    /// The providers with a destination that contains `address`, by the client's current configuration. A request there is sent
    /// as an account of one of them. `nil` when the request is sent as the active account, whatever its provider.
    /// - Throws: ``ClientError/unclearAddress(host:)``.
    func otherProviders(at address: URL?) throws -> [String]? {
        let snapshot = state.withLock { $0 }
        return try snapshot.setup?.destinations.others(than: snapshot.chain, at: address)
    }

    /// Lets the user sign in with the first provider of the chain that is among `providers` and can show a sign-in. An
    /// active account stays active.
    /// - Throws: ``ClientError/notSignedIn(_:)`` if none of these providers can show a sign-in, otherwise as
    ///   ``signInBeside(with:scopes:options:)``.
    func signIn(atOneOf providers: [String], scopes: Set<String>) async throws {
        let chain = chain
        let links = chain.links.filter { providers.contains($0.name) && chain.includes($0) }
        guard let link = links.first(where: \.mayShowSignIn) else {
            throw ClientError.notSignedIn(AbsenceReason.cannotShowSignIn.description)
        }
        _ = try await signInForRequest(with: link.name, scopes: scopes)
    }

    /// Whether `error` is about the session of the active account.
    func isAboutActive(_ error: any Error, _ scopes: Set<String>) async throws -> Bool {
        guard let account = (error as? SessionError)?.account else { return false }
        let lookup = try await lookUp(scopes: scopes)
        if case .absent(let reason) = lookup { return reason.sessionError?.account == account }
        return lookup.account == account
    }

    /// Whether tokens of `provider` may be sent to `address`. A client without a configuration has no limits.
    func allows(_ provider: String, at address: URL?) -> Bool {
        state.withLock { $0.setup?.destinations }?.allows(provider, at: address) ?? true
    }

    /// Applies the configuration's rules to `address`, even if the configuration does not route requests by them.
    package func finding(at address: URL) -> DestinationRules.Finding {
        state.withLock { $0.setup?.destinations }?.finding(at: address) ?? .unnamed
    }

    /// The account with which a request to `address`, in a destination of `providers`, is sent: the active account if
    /// it belongs to one of these providers, or else the only account of these providers.
    /// - Throws: ``ClientError/notSignedIn(_:)`` if there is no account, ``ClientError/severalAccounts(_:host:)`` if
    ///   there are several, `SessionError` if the active account belongs to one of `providers` and has no usable session,
    ///   `ChainError` if one of `providers` fails, `ChainUsageError`, `CancellationError`, and what the store or a
    ///   provider throws.
    package func account(ofOneOf providers: [String], at address: URL) async throws -> AccountID {
        if let active = try await activeAccount(ofOneOf: providers) { return active }
        return try await account(of: providers, in: chain, host: address.host ?? "")
    }

    /// The name of the provider of `account`; the account's realm when no provider has that realm.
    package func providerName(of account: AccountID) -> String { chain.name(of: account) }

    /// The only account of `providers`: one with a session in the store, or one that a provider without a stored session
    /// finds silently.
    private func account(
        of providers: [String], in chain: IdentityProviderChain, host: String
    ) async throws -> AccountID {
        let listing = try await accounts()
        let known = listing.accounts.filter { providers.contains(chain.name(of: $0.account)) }
        let live = known.filter { if case .live = $0.session { true } else { false } }
        // Include accounts whose session is suspended or has ended only when no account in the store has a live session,
        // so that the caller learns the reason.
        var found = (live.isEmpty ? known : live).map(\.account)
        var reasons: [String] = []
        for link in chain.links where providers.contains(link.name) {
            let hasRecord = known.contains { chain.name(of: $0.account).hasBytes(of: link.name) }
            guard !hasRecord, let realm = link.realms.min() else { continue }
            // Throws if the variable SWIFT_IDENTITY_PROVIDER excludes the provider.
            _ = try chain.route(to: AccountID(account: "", realm: realm))
            let context = try await context()
            let lookup = try await ProviderError.classifying { try await link.provider.silentAccount(in: context) }
            if let account = lookup.account { found.append(account) }
            if case .absent(let reason) = lookup { reasons.append("\(link.name): \(reason)") }
        }
        guard let first = found.first else {
            if let failure = listing.failures.first { throw failure }
            throw ClientError.notSignedIn(reasons.joined(separator: "; "))
        }
        guard found.count == 1 else { throw ClientError.severalAccounts(found, host: host) }
        return first
    }
}

extension DestinationRules {
    /// The providers with a destination that contains `address`. A request there is sent as an account of one of these
    /// providers. `nil` when the request is sent as the active account: if every provider of `chain` or no provider has
    /// such a destination, or if the configuration does not route requests.
    /// - Throws: ``ClientError/unclearAddress(host:)``.
    func others(than chain: IdentityProviderChain, at address: URL?) throws -> [String]? {
        guard routes else { return nil }
        func areAll(_ providers: [String]) -> Bool { chain.links.allSatisfy { providers.contains($0.name) } }
        switch finding(at: address) {
        case .named(_, let providers) where !areAll(providers): return providers
        case .unclear(let providers) where !areAll(providers):
            throw ClientError.unclearAddress(host: address?.host ?? "an unknown host")
        case .unnamed, .named, .unclear: return nil
        }
    }
}

extension IdentityProviderChain {
    /// The name of the provider of `account`; the account's realm when no provider has that realm.
    func name(of account: AccountID) -> String {
        link(ofRealm: account.realm)?.name ?? account.realm
    }
}
