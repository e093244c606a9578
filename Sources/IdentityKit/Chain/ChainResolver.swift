struct ChainResult: Sendable {
    var attempts: [ChainAttempt] = []
    /// The account that was found, with the name of its provider.
    var found: ChainSelection.Choice?
    /// Why that account needs its person, if it does.
    var suspension: Suspension?
    /// Why there is none, when there is one reason for it.
    var absence: AbsenceReason?

    /// Ends with the account of `attempt`.
    mutating func find(_ attempt: ChainAttempt) {
        guard case .account(let account) = attempt.outcome else { return }
        found = ChainSelection.Choice(provider: attempt.provider, account: account, fallback: attempt.fallback)
        suspension = attempt.suspension
    }

    /// The error about the active account, when the walk ended with its having no session.
    var sessionError: SessionError? { found == nil ? absence?.sessionError : nil }

    /// The error when no account was found and a failed provider was skipped, which may have one.
    var undecided: ChainError? {
        guard found == nil, let error = attempts.lazy.compactMap(\.passedOverError).first else { return nil }
        return ChainError(attempts: attempts, underlying: error)
    }

    /// The result as a lookup.
    /// - Throws: ``ChainError`` when it is unknown whether there is an account.
    func lookup() throws -> AccountLookup {
        if let undecided { throw undecided }
        guard let found else { return .none(absence ?? .chain(attempts)) }
        if let suspension, found.fallback?.isForNow != true { return .suspended(found.account, suspension) }
        return found.fallback.map { .fallback(found.account, $0) } ?? .found(found.account)
    }
}

/// Tries the providers of a chain in order. The first account ends the walk, and so does a failure.
struct ChainResolver: Sendable {
    typealias Link = IdentityProviderChain.Link

    private let links: [Link]
    private let excluded: [ChainAttempt]
    private let names: Set<String>
    private let breakers: [String: CircuitBreaker]
    private let onSessionEnd: SessionEndPolicy
    private let time: TimeSource
    private let observers: IdentityObservers?
    private let observe: @Sendable (ChainEvent) -> Void

    init(
        links: [Link], excluded: [Link], _ options: IdentityProviderChain.Options,
        observe: @escaping @Sendable (ChainEvent) -> Void
    ) {
        let override = options.override?.origin ?? ""
        let time = options.time
        self.links = links
        self.excluded = excluded.map {
            ChainAttempt(provider: $0.name, pass: .silent, outcome: .none(.excluded(override)), duration: .zero)
        }
        names = Set(links.map(\.name))
        breakers = Dictionary(
            uniqueKeysWithValues: links.filter(\.fallsBackWhenUnavailable)
                .map { ($0.name, CircuitBreaker(time: time)) })
        onSessionEnd = options.onSessionEnd
        self.time = time
        observers = options.observers
        self.observe = observe
    }

    func includes(_ name: String) -> Bool { names.contains(name) }

    var mayShowSignIn: Bool { links.contains { $0.provider.mayShowSignIn } }

    func report(_ event: ChainEvent) {
        observers?.tell(.chain(event))
        observe(event)
    }

    /// Reports `error` and returns it, to be thrown.
    func failure(_ error: ChainError) -> ChainError {
        report(.walkFailed(error))
        return error
    }

    /// Tries every provider silently, also after an account or a failure. At the provider of the chosen account only that
    /// account is looked up.
    func askEverybody(
        choice: ChainSelection.Choice?, _ context: RequestContext
    ) async -> [ChainAttempt] {
        var attempts: [ChainAttempt] = []
        for link in links {
            let silent = SilentLookup(context: context)
            let isChosen = choice.map { link.realms.containsBytes(of: $0.account.realm) } ?? false
            attempts.append(
                await askSilently(link, isChosen ? silent.about(choice) : silent, mayPassOver: !isChosen))
        }
        return attempts + excluded
    }

    /// Walks without showing anything.
    /// - Throws: ``ChainError``, or `CancellationError`.
    func walkSilently(after attempts: [ChainAttempt] = [], _ silent: SilentLookup) async throws -> ChainResult {
        var silent = silent
        return try await walk(links, after: attempts, without: excluded) { link in
            let attempt = await settled(askSilently(link, silent, mayPassOver: true), of: link, silent.context)
            switch attempt.outcome {
            case .none(let reason): silent.fallback = silent.fallback ?? SessionFallback(reason)
            case .account(let account) where attempt.isReplaceable:
                silent.fallback = silent.fallback ?? attempt.suspension.map { SessionFallback(from: account, $0) }
            case .account, .passedOver, .failed: break
            }
            return attempt
        }
    }

    /// Tries the sign-ins of the providers in order, until one shows a sign-in.
    /// - Throws: ``ChainError``, or `CancellationError`.
    func walkInteractively(_ request: IdentityProviderChain.SignInRequest) async throws -> ChainResult {
        let candidates = request.candidates(among: links)
        return try await walk(candidates, without: request.provider == nil ? excluded : []) {
            await askInteractively($0, request)
        }
    }

    /// Tries the provider of the chosen account. Its failure is never skipped, because another account is no substitute.
    func ask(_ link: Link, _ silent: SilentLookup) async -> ChainAttempt {
        await askSilently(link, silent, mayPassOver: false)
    }

    /// `attempt` with what is known once its account was asked for a token. It is only in a chain that may fall back, and only
    /// where the account needs its person.
    func settled(_ attempt: ChainAttempt, of link: Link, _ context: RequestContext) async -> ChainAttempt {
        guard onSessionEnd == .fallBack, attempt.suspension != nil, case .account(let account) = attempt.outcome else {
            return attempt
        }
        var settled = attempt
        do {
            settled.isReplaceable = try await !link.hasToken(of: account, on: time)
            if !settled.isReplaceable {
                // Its server may have taken the refresh token again.
                let lookup = try await link.lookUp(SilentLookup(context: context, account: account), on: time)
                settled.suspension = lookup.suspension
            }
            return settled
        } catch {
            return ChainAttempt(
                provider: attempt.provider, pass: attempt.pass, outcome: .failed(error), duration: attempt.duration)
        }
    }

    private func walk(
        _ links: [Link], after attempts: [ChainAttempt] = [], without excluded: [ChainAttempt] = [],
        _ ask: (Link) async -> ChainAttempt
    ) async throws -> ChainResult {
        var walk = ChainResult(attempts: attempts)
        var replaceable = attempts.first(where: \.isReplaceable)
        for link in links {
            try Task.checkCancellation()
            let attempt = await ask(link)
            walk.attempts.append(attempt)
            switch attempt.outcome {
            case .account where attempt.isReplaceable:
                replaceable = replaceable ?? attempt
            case .account:
                walk.find(attempt)
                return walk
            case .none(let reason) where reason.sessionError != nil && onSessionEnd == .ask:
                // An inner chain waits for a decision of the user, and so does this one.
                walk.absence = reason
                return walk
            case .none, .passedOver: continue
            case .failed(let error as CancellationError): throw error
            case .failed(let error):
                throw failure(
                    ChainError(attempts: walk.attempts + excluded, stoppedAt: link.name, underlying: error))
            }
        }
        walk.attempts += excluded
        if let replaceable { walk.find(replaceable) }
        return walk
    }

    private func askSilently(_ link: Link, _ silent: SilentLookup, mayPassOver: Bool) async -> ChainAttempt {
        await attempt(link, .silent, mayPassOver: mayPassOver, standingInFor: silent.fallback) {
            do {
                return try await link.lookUp(silent, on: time)
            } catch SessionError.ended(let account, let reason) where account == silent.account {
                return .none(.sessionEnded(reason))
            } catch SessionError.belongsElsewhere(let account, let reason) where account == silent.account {
                return .none(.belongsElsewhere(reason))
            }
        }
    }

    private func askInteractively(
        _ link: Link, _ request: IdentityProviderChain.SignInRequest
    ) async -> ChainAttempt {
        await attempt(link, .interactive, mayPassOver: request.provider == nil) {
            try await link.signIn(request, on: time)
        }
    }

    private func attempt(
        _ link: Link, _ pass: ChainAttempt.Pass, mayPassOver: Bool, standingInFor fallback: SessionFallback? = nil,
        _ ask: () async throws -> AccountLookup
    ) async -> ChainAttempt {
        let start = time.now
        var found: AccountLookup?
        let outcome = await outcome(of: link, pass, mayPassOver: mayPassOver) {
            let lookup = try await ask()
            found = lookup
            return lookup
        }
        var attempt = ChainAttempt(
            provider: link.name, pass: pass, outcome: outcome, duration: time.elapsed(since: start))
        if case .account(let account) = outcome {
            // No account is a fallback for itself.
            attempt.fallback = fallback?.from == account ? nil : fallback ?? found?.fallback
            attempt.suspension = found?.suspension
        }
        report(.attempt(attempt))
        return attempt
    }

    private func outcome(
        of link: Link, _ pass: ChainAttempt.Pass, mayPassOver: Bool, _ ask: () async throws -> AccountLookup
    ) async -> ChainAttempt.Outcome {
        if let gap = link.managed?.missingConfiguration { return .none(.notConfigured(gap)) }
        let breaker = mayPassOver ? breakers[link.name] : nil
        if let wait = breaker?.admit() {
            return .passedOver(ChainLinkError.recentlyUnavailable(retryAfter: wait))
        }
        do {
            let lookup = try await ask()
            breaker?.responded()
            switch lookup {
            case .found(let account), .suspended(let account, _), .fallback(let account, _):
                guard link.realms.containsBytes(of: account.realm) else {
                    return .failed(ChainUsageError.foreignAccount(account, provider: link.name))
                }
                return .account(account)
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
            breaker?.responded()
            return .failed(error)
        }
    }
}
