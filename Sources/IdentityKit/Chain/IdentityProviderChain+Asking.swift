extension IdentityProviderChain {
    /// Callers with the same value share a sign-in.
    struct SignInRequest: Hashable, Sendable {
        let context: RequestContext
        /// The only provider to try, whose failure is then never skipped; `nil` for all.
        var provider: String?
        /// The account whose session has ended. Its provider is tried first; providers that never show a sign-in are
        /// skipped, so that the user does not get another account without noticing.
        var again: AccountID?

        /// The providers to try, in order.
        func candidates(among links: [Link]) -> [Link] {
            if let provider { return links.filter { $0.name == provider } }
            guard let again else { return links }
            return links.filter { $0.realms.containsBytes(of: again.realm) }
                + links.filter { !$0.realms.containsBytes(of: again.realm) }
        }
    }

    /// The key of all sign-ins, so that one is shown at a time.
    enum Screen { case only }

    struct SignInOutcome: Sendable {
        let request: SignInRequest
        let result: Result<ChainResult, any Error>
    }

    /// The result of a silent lookup at every provider, for diagnosis. No account is chosen. At the provider of the chosen
    /// account, that account is looked up.
    public func explain(scopes: Set<String>, deviceToken: String) async -> [ChainAttempt] {
        await explain(RequestContext(scopes: scopes, deviceToken: deviceToken))
    }

    func explain(_ context: RequestContext) async -> [ChainAttempt] {
        // Also when the choice cannot be read.
        let choice = try? await selection?.read().choice
        return await resolver.askEverybody(choice: choice, context)
    }

    /// The chosen account when it is still signed in, else the account of the first provider that has one, which is then
    /// chosen. When the session of the chosen account has ended, ``Options/onSessionEnd`` decides.
    /// - Throws: ``ChainError`` when a provider fails before an account is found, ``/IdentityCore/TokenStoreError`` when the
    ///   choice cannot be read.
    public func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup {
        try await silentWalk(Self.silent(scopes, deviceToken)).lookup()
    }

    /// Looks up `account`, which an outer chain has chosen, at its provider.
    /// - Throws: ``ChainError`` when it fails.
    public func silentAccount(
        _ account: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> AccountLookup {
        try await silentWalk(Self.silent(scopes, deviceToken, account)).lookup()
    }

    /// The signed-in account, else that of the first provider that can show a sign-in, else `nil`. When the session of the
    /// chosen account has ended or is suspended, its own provider is tried first.
    /// - Throws: ``ChainError`` when a provider fails or the user does not sign in,
    ///   ``/IdentityCore/SessionError/ended(_:reason:)`` or ``/IdentityCore/SessionError/belongsElsewhere(_:reason:)`` when
    ///   that is the chosen account's session and no sign-in can be shown.
    public func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        try await activeLookup(RequestContext(scopes: scopes, deviceToken: deviceToken)).account
    }

    /// ``activeAccount(scopes:deviceToken:)`` as a lookup.
    /// - Throws: as ``activeAccount(scopes:deviceToken:)``.
    func activeLookup(_ context: RequestContext) async throws -> AccountLookup {
        let request = SignInRequest(context: context)
        return try await signIns.value(for: request, whenAbandoned: .cancel) {
            let silent = try await self.silentWalk(SilentLookup(context: context))
            if let found = silent.found, silent.suspension != nil {
                let walk = try await self.show(SignInRequest(context: context, again: found.account))
                return walk.found == nil ? silent : walk
            }
            if let found = silent.found { return try await self.confirm(found, silent, request) }
            guard let error = silent.sessionError else { return try await self.show(request) }
            var walk = try await self.show(SignInRequest(context: context, again: error.account))
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

    /// Makes a signed-in account the chosen one, so that the user can switch accounts.
    /// - Throws: ``ChainUsageError``, ``ChainError`` when its provider fails, ``/IdentityCore/SessionError/notSignedIn(_:)``,
    ///   ``/IdentityCore/SessionError/ended(_:reason:)``, ``/IdentityCore/SessionError/belongsElsewhere(_:reason:)``.
    public func select(_ account: AccountID, scopes: Set<String>, deviceToken: String) async throws {
        let link = try route(to: account).link
        let attempt = await resolver.ask(link, Self.silent(scopes, deviceToken, account))
        switch attempt.outcome {
        case .account(account):
            try await choose(ChainSelection.Choice(provider: link.name, account: account), because: .selected)
        case .none(let reason):
            throw reason.ofActive(account)?.sessionError ?? .notSignedIn(account)
        case .account:
            throw SessionError.notSignedIn(account)
        case .failed(let error as CancellationError):
            throw error
        case .failed(let error), .passedOver(let error):
            throw resolver.failure(ChainError(attempts: [attempt], stoppedAt: link.name, underlying: error))
        }
    }

    private static func silent(
        _ scopes: Set<String>, _ deviceToken: String, _ account: AccountID? = nil
    ) -> SilentLookup {
        SilentLookup(context: RequestContext(scopes: scopes, deviceToken: deviceToken), account: account)
    }

    private func silentWalk(_ silent: SilentLookup) async throws -> ChainResult {
        try await lookups.value(for: silent, whenAbandoned: .cancel) {
            let walk = try await self.findSilently(silent)
            if let undecided = walk.undecided { self.resolver.report(.walkFailed(undecided)) }
            return walk
        }
    }

    /// Confirms an account that was found silently, by the provider's own sign-in where only that finds out whether the
    /// account is still signed in.
    private func confirm(
        _ found: ChainSelection.Choice, _ silent: ChainResult, _ request: SignInRequest
    ) async throws -> ChainResult {
        guard let link = links.first(where: { $0.name == found.provider }), link.isAskedInteractivelyOnly else {
            return silent
        }
        let walk = try await show(SignInRequest(context: request.context, provider: link.name))
        guard walk.found == nil else { return walk }
        // It is signed out there, and the other providers are tried as if it had never been chosen.
        try await forget(found.account)
        let others = try await silentWalk(SilentLookup(context: request.context))
        return others.found == nil ? try await show(request) : others
    }

    /// Shows a sign-in when no other is shown. Callers with the same request get the same result.
    private func show(_ request: SignInRequest) async throws -> ChainResult {
        while true {
            let shown = try await screen.value(for: .only, whenAbandoned: .finish) {
                do {
                    return SignInOutcome(request: request, result: .success(try await self.signIn(request)))
                } catch {
                    return SignInOutcome(request: request, result: .failure(error))
                }
            }
            if shown.request == request { return try shown.result.get() }
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
    /// The result as a lookup, with the end of the active session as an error.
    fileprivate func lookupUnlessEnded() throws -> AccountLookup {
        if let sessionError { throw sessionError }
        return try lookup()
    }
}
