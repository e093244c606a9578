struct ChainResult: Sendable {
    var attempts: [ChainAttempt] = []
    /// The account that was found, with the name of its provider.
    var found: CurrentAccount?
    /// Set if the session of the found account is suspended: it cannot be refreshed, so that usually the user has to sign in
    /// again.
    var suspension: Suspension?
    /// Why no account was found; `nil` when no single reason explains it, or an account was found.
    var absence: AbsenceReason?
    /// The generations of the choice's record that the result is based on; `nil` if no choice was read.
    var choices: ClosedRange<UInt64>?

    /// Sets the account of `attempt`, if it has one, as the result.
    mutating func find(_ attempt: ChainAttempt) {
        guard case .account(let account) = attempt.outcome else { return }
        found = CurrentAccount(account, of: attempt.provider, fallback: attempt.fallback)
        suspension = attempt.suspension
    }

    /// The result of a sign-in: the found account, or ``AbsenceReason/cannotShowSignIn``.
    var signedIn: AccountLookup { found.map { .found($0.account) } ?? .absent(.cannotShowSignIn) }

    /// The error when no account was found because the active account's session has ended or belongs to another
    /// configuration; otherwise `nil`.
    var sessionError: SessionError? { found == nil ? absence?.sessionError : nil }

    /// The error when no account was found, but a provider that failed and was skipped might have one; otherwise `nil`.
    var undecided: ChainError? {
        guard found == nil, let error = attempts.lazy.compactMap(\.passedOverError).first else { return nil }
        return ChainError(attempts: attempts, underlying: error)
    }

    /// Returns the found account, or the reason why there is no account. The result also contains the account's suspension or
    /// fallback. If the account has both, the result contains only one of them: a fallback that lasts for this lookup only, or
    /// else the suspension.
    /// - Throws: ``ChainError`` when no account was found, but a skipped provider might have one.
    func lookup() throws -> AccountLookup {
        if let undecided { throw undecided }
        guard let found else { return .absent(absence ?? .chain(attempts)) }
        if let suspension, found.fallback?.isForNow != true { return .suspended(found.account, suspension) }
        return found.fallback.map { .fallback(found.account, $0) } ?? .found(found.account)
    }
}

/// Tries the providers of a chain in order. Such a pass is called a walk. The first usable account ends the walk, and
/// so does a failure that the chain may not skip.
struct ChainResolver: Sendable {
    typealias Link = IdentityProviderChain.Link

    private let links: [Link]
    private let excluded: [ChainAttempt]
    private let names: Set<String>
    private let breakers: [String: CircuitBreaker]
    private let onSessionEnd: SessionEndPolicy
    /// Whether a client made the chain for its only provider, so that this provider's answers and errors are passed on
    /// unwrapped.
    private let isSole: Bool
    private let time: TimeSource
    private let emit: (@Sendable (ChainEvent) -> Void)?

    init(
        links: [Link], excluded: [Link], by override: ProviderOverride?, onSessionEnd: SessionEndPolicy,
        time: TimeSource, emit: (@Sendable (ChainEvent) -> Void)?
    ) {
        let override = override?.origin ?? ""
        self.links = links
        self.excluded = excluded.map {
            ChainAttempt(provider: $0.name, question: .silent, outcome: .absent(.excluded(override)), duration: .zero)
        }
        names = Set(links.map(\.name))
        breakers = Dictionary(
            uniqueKeysWithValues: links.filter(\.fallsBackWhenUnavailable)
                .map { ($0.name, CircuitBreaker(time: time)) })
        self.onSessionEnd = onSessionEnd
        isSole = false
        self.time = time
        self.emit = emit
    }

    /// Creates the resolver for a client's only provider, without an override, circuit breakers or events.
    init(sole link: Link, time: TimeSource) {
        (links, excluded, names, breakers) = ([link], [], [link.name], [:])
        (onSessionEnd, isSole, self.time, emit) = (.ask, true, time, nil)
    }

    func includes(_ name: String) -> Bool { names.contains(name) }

    /// The providers to try for `inquiry`, in order.
    func candidates(for inquiry: Inquiry) -> [Link] { inquiry.candidates(among: links) }

    var mayShowSignIn: Bool { links.contains { $0.mayShowSignIn } }

    func report(_ event: ChainEvent) { emit?(event) }

    /// Reports `error` to the observers. Returns the error to throw: `error`, or its underlying error for a client's
    /// only provider.
    func failure(_ error: ChainError) -> any Error {
        report(.walkFailed(error))
        return isSole ? error.underlying ?? error : error
    }

    /// Asks every provider silently, even after one has an account or fails. The provider of the chosen account is
    /// asked for that account only.
    func askEverybody(choice: CurrentAccount?, _ context: CallerContext) async -> [ChainAttempt] {
        var attempts: [ChainAttempt] = []
        for link in links {
            let inquiry = Inquiry(context)
            let chosen = choice.flatMap { link.realms.containsBytes(of: $0.account.realm) ? $0 : nil }
            attempts.append(await ask(link, chosen.map(inquiry.about) ?? inquiry))
        }
        return attempts + excluded
    }

    /// Looks for an account silently, provider by provider, after the `attempts` that the same lookup has already made.
    /// - Throws: ``ChainError`` or the error of a client's only provider, or `CancellationError`.
    func walkSilently(after attempts: [ChainAttempt] = [], _ inquiry: Inquiry) async throws -> ChainResult {
        var inquiry = inquiry
        inquiry.account = nil
        return try await walk(links, after: attempts, without: excluded) { link in
            let attempt = await settled(ask(link, inquiry), of: link, inquiry)
            switch attempt.outcome {
            case .absent(let reason): inquiry.fallback = inquiry.fallback ?? SessionFallback(reason)
            case .account(let account) where attempt.isReplaceable:
                inquiry.fallback = inquiry.fallback ?? attempt.suspension.map { SessionFallback(from: account, $0) }
            case .account, .passedOver, .failed: break
            }
            return attempt
        }
    }

    /// Asks the providers for a sign-in, one after another, until one returns an account.
    /// - Throws: ``ChainError`` or the error of a client's only provider, or `CancellationError`.
    func walkInteractively(_ inquiry: Inquiry) async throws -> ChainResult {
        try await walk(
            inquiry.candidates(among: links), without: inquiry.provider == nil ? excluded : []
        ) { await ask($0, inquiry) }
    }

    /// Returns `attempt` unchanged, unless the chain may fall back and the account is suspended. For a suspended account, asks
    /// the provider for an access token:
    ///
    /// - If the provider returns a token, looks the account up again. The result has the suspension that is found then, if any.
    /// - If there is no token, marks the attempt as replaceable, so that the chain tries the next provider.
    /// - If the store or the second lookup fails, the task is cancelled, or the provider is too slow and must not be skipped,
    ///   the result is a failed attempt.
    func settled(_ attempt: ChainAttempt, of link: Link, _ inquiry: Inquiry) async -> ChainAttempt {
        guard onSessionEnd == .fallBack, attempt.suspension != nil, case .account(let account) = attempt.outcome else {
            return attempt
        }
        var settled = attempt
        do {
            settled.isReplaceable = try await !link.hasToken(of: account, for: inquiry, on: time)
            if !settled.isReplaceable {
                // Look up again: the request for a token may have ended the suspension.
                let lookup = try await link.answer(Inquiry(inquiry.context, account: account), on: time)
                settled.suspension = lookup.suspension
            }
            return settled
        } catch {
            return ChainAttempt(
                provider: attempt.provider, question: attempt.question, outcome: .failed(error),
                duration: attempt.duration)
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
            case .absent(let reason) where reason.sessionError != nil && onSessionEnd == .ask:
                // The provider is itself a chain, which waits for the user's decision. This chain has to wait as well.
                walk.absence = reason
                return walk
            case .absent, .passedOver: continue
            case .failed(let error as CancellationError): throw error
            case .failed(let error):
                throw failure(
                    ChainError(attempts: walk.attempts + excluded, stoppedAt: link.name, underlying: error))
            }
        }
        walk.attempts += excluded
        if isSole, case .absent(let reason)? = walk.attempts.first?.outcome { walk.absence = reason }
        if let replaceable { walk.find(replaceable) }
        return walk
    }

    /// Asks one provider, and reports the attempt as an event.
    func ask(_ link: Link, _ inquiry: Inquiry) async -> ChainAttempt {
        let start = time.now
        var found: AccountLookup?
        let outcome = await outcome(of: link, inquiry) { found = $0 }
        var attempt = ChainAttempt(
            provider: link.name, question: inquiry.question, outcome: outcome, duration: time.elapsed(since: start))
        if case .account(let account) = outcome {
            // Record no fallback if the provider found the very account that the fallback would replace.
            attempt.fallback = inquiry.fallback?.from == account ? nil : inquiry.fallback ?? found?.fallback
            attempt.suspension = found?.suspension
            attempt.isOnlyConfigured = link.requesting?.hasToken == false
        }
        report(.attempt(attempt))
        return attempt
    }

    private func outcome(
        of link: Link, _ inquiry: Inquiry, _ note: (AccountLookup) -> Void
    ) async -> ChainAttempt.Outcome {
        if let gap = link.provider.missingConfiguration { return .absent(.notConfigured(gap)) }
        let breaker = inquiry.mayPassOver ? breakers[link.name] : nil
        if let wait = breaker?.admit() {
            return .passedOver(ChainLinkError.recentlyUnavailable(retryAfter: wait))
        }
        do {
            let lookup = try await link.answer(inquiry, on: time)
            breaker?.responded()
            note(lookup)
            switch lookup {
            case .found(let account), .suspended(let account, _), .fallback(let account, _):
                guard link.realms.containsBytes(of: account.realm) else {
                    return .failed(ChainUsageError.foreignAccount(account, provider: link.name))
                }
                return .account(account)
            case .absent(let reason): return .absent(reason)
            }
        } catch let error as CancellationError {
            breaker?.learntNothing()
            return .failed(error)
        } catch  where breaker != nil && error.meansUnavailableBackend {
            breaker?.failed()
            return .passedOver(error)
        } catch ChainLinkError.tooSlow(let limit) where inquiry.mayPassOver && link.silentDeadline.policy == .skip {
            return .passedOver(ChainLinkError.tooSlow(limit: limit))
        } catch {
            breaker?.responded()
            return .failed(error)
        }
    }
}
