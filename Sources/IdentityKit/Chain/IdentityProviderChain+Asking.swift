extension IdentityProviderChain {
    /// What callers must agree on to share a sign-in.
    struct SignInRequest: Hashable, Sendable {
        let context: RequestContext
        /// The only provider to ask, whose failure is then never passed over; `nil` for all.
        var provider: String?
        /// The account whose session has ended. Its provider is asked first; providers that never show a sign-in are
        /// skipped, so that nobody becomes another person without noticing.
        var again: AccountID?

        /// Whom to ask, in order.
        func candidates(among links: [Link]) -> [Link] {
            if let provider { return links.filter { $0.name == provider } }
            guard let again else { return links }
            return links.filter { $0.realms.containsBytes(of: again.realm) }
                + links.filter { !$0.realms.containsBytes(of: again.realm) }
        }
    }

    /// There is one, whatever is asked for, so one sign-in is shown at a time.
    enum Screen { case only }

    /// Whose sign-in was on the screen, and what came of it.
    struct SignInAnswer: Sendable {
        let request: SignInRequest
        let result: Result<ChainResult, any Error>
    }

    // MARK: Asking in order

    /// Asks every provider silently and reports each answer, without choosing anything: for diagnosis. The provider of
    /// the chosen account answers for that one.
    public func explain(scopes: Set<String>, deviceToken: String) async -> [ChainAttempt] {
        await explain(RequestContext(scopes: scopes, deviceToken: deviceToken))
    }

    func explain(_ context: RequestContext) async -> [ChainAttempt] {
        // Without a choice that can be read, the answers still tell what there is.
        let choice = try? await selection?.read().choice
        return await resolver.askEverybody(choice: choice, context)
    }

    /// The chosen account when it is still there, else the account of the first provider that has one, which is chosen
    /// then. When the session of the chosen account has ended, ``Options/onSessionEnd`` says what comes next.
    /// - Throws: ``ChainError`` when a provider fails before one with an account is found, ``TokenStoreError`` when the
    ///   choice cannot be read.
    public func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup {
        try await silentWalk(Self.question(scopes, deviceToken)).lookup()
    }

    /// Asks the provider of `account`, which an outer chain has chosen.
    /// - Throws: ``ChainError`` when it fails.
    public func silentAccount(
        _ account: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> AccountLookup {
        try await silentWalk(Self.question(scopes, deviceToken, account)).lookup()
    }

    /// The signed-in account, else what the first provider that can show a sign-in comes to, else `nil`. When the session
    /// of the chosen account has ended, its own provider is the first to show one.
    /// - Throws: ``ChainError`` when a provider fails or the user does not sign in, ``SessionError/ended(_:reason:)`` when
    ///   the chosen account's session has ended and no sign-in can be shown.
    public func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        try await activeLookup(RequestContext(scopes: scopes, deviceToken: deviceToken)).account
    }

    /// ``activeAccount(scopes:deviceToken:)`` with all that is known of the answer.
    /// - Throws: as ``activeAccount(scopes:deviceToken:)``.
    func activeLookup(_ context: RequestContext) async throws -> AccountLookup {
        let request = SignInRequest(context: context)
        return try await signIns.value(for: request, whenAbandoned: .cancel) {
            let silent = try await self.silentWalk(SilentQuestion(context: context))
            if let found = silent.found { return try await self.confirm(found, silent, request) }
            guard let ended = silent.endedSession else { return try await self.show(request) }
            var walk = try await self.show(SignInRequest(context: context, again: ended.account))
            if walk.found == nil { walk.absence = silent.absence }
            return walk
        }.lookupUnlessEnded()
    }

    /// Lets the first provider that can show a sign-in do so. The account becomes the chosen one.
    /// - Throws: ``ChainError`` when that provider fails or the user does not sign in.
    public func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        try await show(SignInRequest(context: RequestContext(scopes: scopes, deviceToken: deviceToken))).found?.account
    }

    /// Lets the provider called `name`, and no other, show a sign-in. The account becomes the chosen one.
    /// - Throws: ``ChainUsageError``, or ``ChainError`` when the user does not sign in.
    public func signIn(with name: String, scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        guard links.contains(where: { $0.name == name }) else {
            throw ChainUsageError.unknownProvider(name, known: links.map(\.name))
        }
        guard resolver.includes(name) else {
            throw ChainUsageError.excluded(provider: name, override: override?.origin ?? "")
        }
        let context = RequestContext(scopes: scopes, deviceToken: deviceToken)
        return try await show(SignInRequest(context: context, provider: name)).found?.account
    }

    /// Chooses an account that is signed in: the app lets the user switch.
    /// - Throws: ``ChainUsageError``, ``ChainError`` when its provider fails, ``SessionError/notSignedIn(_:)``,
    ///   ``SessionError/ended(_:reason:)``.
    public func select(_ account: AccountID, scopes: Set<String>, deviceToken: String) async throws {
        let link = try route(to: account).link
        let attempt = await resolver.ask(link, Self.question(scopes, deviceToken, account))
        switch attempt.outcome {
        case .account(account):
            try await choose(ChainSelection.Choice(provider: link.name, account: account), because: .selected)
        case .none(.sessionEnded(let reason)):
            throw SessionError.ended(account, reason: reason)
        case .account, .none:
            throw SessionError.notSignedIn(account)
        case .failed(let error as CancellationError):
            throw error
        case .failed(let error), .passedOver(let error):
            throw resolver.failure(ChainError(attempts: [attempt], stoppedAt: link.name, underlying: error))
        }
    }

    // MARK: The two passes

    private static func question(
        _ scopes: Set<String>, _ deviceToken: String, _ account: AccountID? = nil
    ) -> SilentQuestion {
        SilentQuestion(context: RequestContext(scopes: scopes, deviceToken: deviceToken), account: account)
    }

    private func silentWalk(_ question: SilentQuestion) async throws -> ChainResult {
        try await lookups.value(for: question, whenAbandoned: .cancel) {
            let walk = try await self.findSilently(question)
            if let undecided = walk.undecided { self.resolver.report(.walkFailed(undecided)) }
            return walk
        }
    }

    /// The account that was found without showing anything. Where only the provider's own sign-in can tell whether it is
    /// still signed in, that is asked: a sign-in is allowed here.
    private func confirm(
        _ found: ChainSelection.Choice, _ silent: ChainResult, _ request: SignInRequest
    ) async throws -> ChainResult {
        guard let link = links.first(where: { $0.name == found.provider }), link.isAskedInteractivelyOnly else {
            return silent
        }
        let walk = try await show(SignInRequest(context: request.context, provider: link.name))
        guard walk.found == nil else { return walk }
        // It is signed out there, and everybody else is asked as if it had never been chosen.
        try await forget(found.account)
        let others = try await silentWalk(SilentQuestion(context: request.context))
        return others.found == nil ? try await show(request) : others
    }

    /// Shows a sign-in once the screen is free. Whoever asked for the same one gets its result.
    private func show(_ request: SignInRequest) async throws -> ChainResult {
        while true {
            let answer = try await screen.value(for: .only, whenAbandoned: .finish) {
                do {
                    return SignInAnswer(request: request, result: .success(try await self.signIn(request)))
                } catch {
                    return SignInAnswer(request: request, result: .failure(error))
                }
            }
            if answer.request == request { return try answer.result.get() }
        }
    }

    private func signIn(_ request: SignInRequest) async throws -> ChainResult {
        let walk = try await resolver.walkInteractively(request)
        if let undecided = walk.undecided { throw resolver.failure(undecided) }
        if let found = walk.found { try await choose(found, because: .signedIn) }
        return walk
    }

    private func choose(_ choice: ChainSelection.Choice, because reason: SelectionChange.Reason) async throws {
        guard let selection else { return }
        let previous = try await selection.set(choice)
        if previous?.account != choice.account {
            resolver.report(
                .selectionChanged(SelectionChange(from: previous?.account, to: choice.account, reason: reason)))
        }
    }

    private func forget(_ account: AccountID) async throws {
        guard let selection, try await selection.clear(account) else { return }
        resolver.report(
            .selectionChanged(SelectionChange(from: account, to: nil, reason: .noLongerSignedIn(.noAccount))))
    }
}

extension IdentityProviderChain: SigningInAgain {
    func signInInPlace(of account: AccountID, _ context: RequestContext) async throws -> AccountID? {
        try await show(SignInRequest(context: context, again: account)).found?.account
    }
}

extension ChainResult {
    /// The walk's answer, with the end of the active session as an error.
    fileprivate func lookupUnlessEnded() throws -> AccountLookup {
        if let (account, reason) = endedSession { throw SessionError.ended(account, reason: reason) }
        return try lookup()
    }
}
