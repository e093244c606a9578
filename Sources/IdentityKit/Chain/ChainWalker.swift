/// What a walk along a chain came to.
struct ChainWalk: Sendable {
    /// The attempts, in order.
    var attempts: [ChainAttempt] = []
    /// The account it ended at, with the name of the provider.
    var found: ChainSelection.Choice?

    /// The walk's answer when somebody was passed over and nobody has an account: it is not known that nobody has.
    var undecided: ChainError? {
        guard found == nil, let error = attempts.lazy.compactMap(\.passedOverError).first else { return nil }
        return ChainError(passingOver: attempts, error)
    }

    /// The walk's answer.
    /// - Throws: ``ChainError`` when it is not known.
    func lookup() throws -> AccountLookup {
        if let undecided { throw undecided }
        return found.map { .found($0.account) } ?? .none(.chain(attempts))
    }
}

/// Asks the providers of a chain, one after the other: the first with an account ends the walk, and so does a failure.
struct ChainWalker: Sendable {
    typealias Link = IdentityProviderChain.Link

    private let links: [Link]
    private let excluded: [ChainAttempt]
    private let names: Set<String>
    private let breakers: [String: CircuitBreaker]
    private let time: TimeSource
    private let observe: @Sendable (ChainEvent) -> Void

    init(
        links: [Link], excluded: [Link], override: String, time: TimeSource,
        observe: @escaping @Sendable (ChainEvent) -> Void
    ) {
        self.links = links
        self.excluded = excluded.map {
            ChainAttempt(provider: $0.name, pass: .silent, outcome: .none(.excluded(override)), duration: .zero)
        }
        names = Set(links.map(\.name))
        breakers = Dictionary(
            uniqueKeysWithValues: links.filter(\.fallsBackWhenUnavailable)
                .map { ($0.name, CircuitBreaker(time: time)) })
        self.time = time
        self.observe = observe
    }

    /// Whether a provider takes part.
    func includes(_ name: String) -> Bool { names.contains(name) }

    func report(_ event: ChainEvent) { observe(event) }

    /// Reports `error` and returns it, to be thrown.
    func failure(_ error: ChainError) -> ChainError {
        observe(.walkFailed(error))
        return error
    }

    /// Asks every provider silently, also after one has an account or fails.
    func askEverybody(scopes: Set<String>, deviceToken: String) async -> [ChainAttempt] {
        var attempts: [ChainAttempt] = []
        for link in links {
            attempts.append(await askSilently(link, mayPassOver: true, scopes: scopes, deviceToken: deviceToken))
        }
        return attempts + excluded
    }

    /// Walks without showing anything.
    /// - Throws: ``ChainError``, or `CancellationError`.
    func walkSilently(
        after attempts: [ChainAttempt] = [], scopes: Set<String>, deviceToken: String
    ) async throws -> ChainWalk {
        try await walk(links, after: attempts, without: excluded) {
            await askSilently($0, mayPassOver: true, scopes: scopes, deviceToken: deviceToken)
        }
    }

    /// Lets one provider after the other show a sign-in, until one does.
    /// - Parameter name: the only provider to ask, whose failure is then never passed over; `nil` for all.
    /// - Throws: ``ChainError``, or `CancellationError`.
    func walkInteractively(with name: String?, scopes: Set<String>, deviceToken: String) async throws -> ChainWalk {
        let candidates = name.map { name in links.filter { $0.name == name } } ?? links
        return try await walk(candidates, without: name == nil ? excluded : []) {
            await askInteractively($0, mayPassOver: name == nil, scopes: scopes, deviceToken: deviceToken)
        }
    }

    /// Asks the provider of the chosen account. Its failure is never passed over: another account is no substitute.
    func ask(
        _ link: Link, for account: AccountID, scopes: Set<String>, deviceToken: String
    ) async -> ChainAttempt {
        await askSilently(link, for: account, mayPassOver: false, scopes: scopes, deviceToken: deviceToken)
    }

    private func walk(
        _ links: [Link], after attempts: [ChainAttempt] = [], without excluded: [ChainAttempt] = [],
        _ ask: (Link) async -> ChainAttempt
    ) async throws -> ChainWalk {
        var walk = ChainWalk(attempts: attempts)
        for link in links {
            try Task.checkCancellation()
            let attempt = await ask(link)
            walk.attempts.append(attempt)
            switch attempt.outcome {
            case .account(let account):
                walk.found = ChainSelection.Choice(provider: link.name, account: account)
                return walk
            case .none, .passedOver: continue
            case .failed(let error as CancellationError): throw error
            case .failed(let error):
                throw failure(
                    ChainError(attempts: walk.attempts + excluded, stoppedAt: link.name, underlying: error))
            }
        }
        walk.attempts += excluded
        return walk
    }

    // MARK: One attempt

    private func askSilently(
        _ link: Link, for account: AccountID? = nil, mayPassOver: Bool, scopes: Set<String>, deviceToken: String
    ) async -> ChainAttempt {
        await attempt(link, .silent, mayPassOver: mayPassOver) {
            guard let provider = link.managed else {
                // Only its own sign-in could tell, so the choice made then stands.
                return account.map(AccountLookup.found) ?? .none(.cannotAnswerSilently)
            }
            let look: @Sendable () async throws -> AccountLookup = {
                guard let account else {
                    return try await provider.silentAccount(scopes: scopes, deviceToken: deviceToken)
                }
                return try await provider.silentAccount(account, scopes: scopes, deviceToken: deviceToken)
            }
            guard let limit = link.silentDeadline.limit else { return try await look() }
            return try await Deadline.run(limit, on: time, orThrow: ChainLinkError.tooSlow(limit: limit), look)
        }
    }

    private func askInteractively(
        _ link: Link, mayPassOver: Bool, scopes: Set<String>, deviceToken: String
    ) async -> ChainAttempt {
        await attempt(link, .interactive, mayPassOver: mayPassOver) {
            let account =
                if let provider = link.managed {
                    try await provider.signIn(scopes: scopes, deviceToken: deviceToken)
                } else {
                    try await link.provider.activeAccount(scopes: scopes, deviceToken: deviceToken)
                }
            return account.map(AccountLookup.found) ?? .none(.cannotShowSignIn)
        }
    }

    private func attempt(
        _ link: Link, _ pass: ChainAttempt.Pass, mayPassOver: Bool, _ ask: () async throws -> AccountLookup
    ) async -> ChainAttempt {
        let clock = ContinuousClock()
        let start = clock.now
        let outcome = await outcome(of: link, pass, mayPassOver: mayPassOver, ask)
        let attempt = ChainAttempt(
            provider: link.name, pass: pass, outcome: outcome, duration: start.duration(to: clock.now))
        observe(.attempt(attempt))
        return attempt
    }

    private func outcome(
        of link: Link, _ pass: ChainAttempt.Pass, mayPassOver: Bool, _ ask: () async throws -> AccountLookup
    ) async -> ChainAttempt.Outcome {
        if let gap = link.managed?.configurationGap { return .none(.notConfigured(gap)) }
        let breaker = mayPassOver ? breakers[link.name] : nil
        if let wait = breaker?.admit() {
            return .passedOver(ChainLinkError.recentlyUnavailable(retryAfter: wait))
        }
        do {
            let lookup = try await ask()
            breaker?.answered()
            switch lookup {
            case .found(let account) where !link.realms.contains(account.realm):
                return .failed(ChainUsageError.foreignAccount(account, provider: link.name))
            case .found(let account): return .account(account)
            case .none(let reason): return .none(reason)
            }
        } catch let error as CancellationError {
            breaker?.learntNothing()
            return .failed(error)
        } catch  where breaker != nil && error.meansUnavailableBackend {
            breaker?.failed()
            return .passedOver(error)
        } catch ChainLinkError.tooSlow(let limit) where mayPassOver && link.silentDeadline.policy == .skip {
            return .passedOver(ChainLinkError.tooSlow(limit: limit))
        } catch {
            breaker?.answered()
            return .failed(error)
        }
    }
}
