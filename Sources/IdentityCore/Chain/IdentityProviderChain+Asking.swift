extension IdentityProviderChain {
    /// The only key of the ``Coalescer`` for sign-ins, so that a chain shows one sign-in at a time.
    enum Screen { case only }

    struct SignInOutcome: Sendable {
        let request: Inquiry
        let result: Result<ChainResult, any Error>
    }

    /// Asks every provider silently, for diagnosis, and leaves the chosen account as it is. The provider of the chosen
    /// account looks up that account.
    /// - Returns: one attempt for each provider in order, then one for each provider that the override excludes.
    public func explain(scopes: Set<String>, deviceToken: String) async -> [ChainAttempt] {
        // A choice that cannot be read does not end the diagnosis.
        let choice = try? await selection?.read().choice
        return await resolver.askEverybody(
            choice: choice, CallerContext(scopes: scopes, deviceToken: deviceToken))
    }

    /// Returns the chosen account if it is still signed in. Otherwise looks for the first provider with an account, and
    /// chooses that account. When the session of the chosen account cannot be used, the ``SessionEndPolicy`` decides.
    /// - Throws: ``ChainError`` when a provider fails before an account is found, ``TokenStoreError`` when the choice cannot
    ///   be read or storing it fails, or `CancellationError`. If the store is full or cannot be written, nothing is thrown:
    ///   the account is returned, but the choice is not stored.
    public func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        try await lookUp(context, isFollowing: false).0
    }

    /// Looks up the account as ``silentAccount(in:)`` does.
    /// - Parameters:
    ///   - context: the scopes and the device of the caller.
    ///   - isFollowing: whether a change of the store caused the lookup. Such a lookup replaces a stored choice only
    ///     when the session of the chosen account has ended and the chain falls back.
    /// - Returns: the result, and the generations of the choice's record that it is based on: the one that was read, up to
    ///   the last one that the lookup stored. They are `nil` if the chain keeps no choice.
    /// - Throws: as ``silentAccount(in:)``, or the error of a client's only provider.
    package func lookUp(
        _ context: CallerContext, isFollowing: Bool
    ) async throws -> (AccountLookup, choices: ClosedRange<UInt64>?) {
        var inquiry = Inquiry(context)
        inquiry.isFollowing = isFollowing
        let walk = try await silentWalk(inquiry)
        return (try walk.lookup(), walk.choices)
    }

    /// Looks up `account`, which an outer chain has chosen, at its provider. Without a provider for its realm, or if
    /// the override excludes that provider, this is the same as ``silentAccount(in:)``.
    /// - Throws: as ``silentAccount(in:)``.
    public func silentAccount(_ account: AccountID, in context: CallerContext) async throws -> AccountLookup {
        try await silentWalk(Inquiry(context, account: account)).lookup()
    }

    /// Returns the account that a silent lookup finds. If the lookup finds none, or one whose session is suspended (see
    /// ``Suspension``), lets the user sign in with the first provider that can show a sign-in. When the session of the
    /// chosen account has ended, is suspended or belongs to another configuration, that account's provider is tried first.
    /// - Returns: the account. When no sign-in can be shown, this is the suspended account, or `nil` when there is
    ///   none.
    /// - Throws: ``ChainError`` when a provider fails or the user does not sign in; ``SessionError/ended(_:reason:)``
    ///   or ``SessionError/belongsElsewhere(_:reason:)`` when the chosen account's session is in that state and no
    ///   sign-in can be shown; ``TokenStoreError`` or `CancellationError`.
    public func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        try await activeLookup(CallerContext(scopes: scopes, deviceToken: deviceToken)).account
    }

    /// Does what ``activeAccount(scopes:deviceToken:)`` does, and also returns the reason when there is no account.
    /// - Throws: as ``activeAccount(scopes:deviceToken:)``, or the error of a client's only provider.
    package func activeLookup(_ context: CallerContext) async throws -> AccountLookup {
        let walk = try await signIns.value(for: context, whenAbandoned: .cancel) {
            let silent: ChainResult
            do {
                silent = try await self.silentWalk(Inquiry(context))
            } catch let error as TokenStoreError where error.isAboutContent {
                // The stored choice is unusable. Do not look up an account silently, because the lookup could find one
                // that nobody has chosen. A sign-in replaces the choice.
                let walk = try await self.show(Inquiry(context, .interactive))
                guard walk.found != nil else { throw error }
                return walk
            }
            if let found = silent.found, silent.suspension == nil {
                return try await self.confirm(found, silent, context)
            }
            // If the session of an account is suspended, has ended or belongs to another configuration, the sign-in
            // replaces that session.
            let former = silent.found?.account ?? silent.sessionError?.account
            var walk = try await self.show(Inquiry(context, .interactive, account: former))
            guard walk.found == nil else { return walk }
            if silent.found != nil { return silent }
            if former != nil { walk.absence = silent.absence }
            return walk
        }
        if let error = walk.sessionError { throw error }
        return try walk.lookup()
    }

    /// Signs in with the first provider that can show a sign-in. If none can, uses a provider that needs no person. The
    /// account becomes the chosen one.
    /// - Returns: `nil` when no provider can sign in.
    /// - Throws: ``ChainError`` when a provider fails or the user does not sign in, ``TokenStoreError`` when the choice
    ///   cannot be stored, or `CancellationError`.
    public func signIn(in context: CallerContext) async throws -> AccountID? {
        try await signIn(in: context, options: .init())
    }

    /// Signs in as ``signIn(in:)`` does, with options for this sign-in.
    /// - Throws: as ``signIn(in:)``. When the sign-in cannot use the options, the code of the ``ChainError`` is
    ///   `sign_in_options_unusable`.
    public func signIn(in context: CallerContext, options: SignInWishes) async throws -> AccountID? {
        try await shownLookup(context, options).account
    }

    /// Lets the provider called `name`, and no other, show a sign-in. The account becomes the chosen one.
    /// - Returns: `nil` when the provider cannot show a sign-in, or has no account afterwards.
    /// - Throws: an error with the code `unknown_provider` when there is no such provider, or `provider_excluded` when
    ///   the override excludes it; otherwise as ``signIn(in:)``.
    public func signIn(
        with name: String, scopes: Set<String>, deviceToken: String, options: SignInWishes = .init()
    ) async throws -> AccountID? {
        try await shownLookup(CallerContext(scopes: scopes, deviceToken: deviceToken), with: name, options).account
    }

    /// Signs in with the provider called `name`. If `name` is `nil`, signs in as ``signIn(in:options:)`` does.
    /// - Parameter endsWithTask: whether cancelling the last waiting caller also closes the sign-in. That caller then
    ///   returns after the sign-in is closed. By default, the sign-in stays on the screen.
    /// - Returns: the account that signed in, or ``AbsenceReason/cannotShowSignIn``.
    /// - Throws: as ``signIn(with:scopes:deviceToken:options:)``, or the error of a client's only provider.
    package func shownLookup(
        _ context: CallerContext, with name: String? = nil, _ options: SignInWishes, endsWithTask: Bool = false
    ) async throws -> AccountLookup {
        let link = try name.map(participant)
        let inquiry = Inquiry(context, .interactive, provider: link?.name, options: options)
        return try await show(inquiry, endsWithTask: endsWithTask).signedIn
    }

    /// Makes a signed-in account the chosen one, so that the user can switch accounts.
    /// - Throws: an error with the code `unknown_realm` when no provider has the account's realm, or
    ///   `provider_excluded` when the override excludes it; ``ChainError`` when its provider fails,
    ///   ``SessionError/notSignedIn(_:)``, ``SessionError/ended(_:reason:)``,
    ///   ``SessionError/belongsElsewhere(_:reason:)``, ``TokenStoreError``, or `CancellationError`.
    public func select(_ account: AccountID, scopes: Set<String>, deviceToken: String) async throws {
        let link = try route(to: account).link
        let context = CallerContext(scopes: scopes, deviceToken: deviceToken)
        let attempt = await resolver.ask(link, Inquiry(context, account: account))
        switch attempt.outcome {
        case .account(account):
            try await choose(CurrentAccount(account, of: link.name), because: .selected)
        case .absent(let reason):
            throw reason.ofActive(account)?.sessionError ?? .notSignedIn(account)
        case .account:
            throw SessionError.notSignedIn(account)
        case .failed(let error as CancellationError):
            throw error
        case .failed(let error), .passedOver(let error):
            throw resolver.failure(ChainError(attempts: [attempt], stoppedAt: link.name, underlying: error))
        }
    }

    /// The providers that a sign-in tries, in order.
    /// - Parameter account: the account whose session the sign-in replaces; `nil` for a sign-in to any account.
    package func signInCandidates(replacing account: AccountID?) -> [Link] {
        resolver.candidates(for: Inquiry(CallerContext(), .interactive, account: account))
    }

    // MARK: Silent and interactive walks

    private func silentWalk(_ inquiry: Inquiry) async throws -> ChainResult {
        try await lookups.value(for: inquiry, whenAbandoned: .cancel) {
            let walk = try await self.findSilently(inquiry)
            if let undecided = walk.undecided { self.resolver.report(.walkFailed(undecided)) }
            return walk
        }
    }

    /// Confirms an account that was found silently. A provider that implements only ``IdentityProvider`` and may show a
    /// sign-in cannot look up silently, so it confirms the account with its own sign-in.
    private func confirm(
        _ found: CurrentAccount, _ silent: ChainResult, _ context: CallerContext
    ) async throws -> ChainResult {
        guard let link = links.first(where: { $0.name == found.provider }), link.hasThreeMethods, link.mayShowSignIn
        else { return silent }
        let walk = try await show(Inquiry(context, .interactive, provider: link.name))
        guard walk.found == nil else { return walk }
        // The user has signed out at the provider, so look for an account as if none had been chosen.
        try await forget(found.account)
        let others = try await silentWalk(Inquiry(context))
        return others.found == nil ? try await show(Inquiry(context, .interactive)) : others
    }

    /// Shows a sign-in, after any other one has ended. Callers with an equal inquiry share one sign-in and its result.
    func show(_ inquiry: Inquiry, endsWithTask: Bool = false) async throws -> ChainResult {
        while true {
            let shown = try await screen.value(for: .only, whenAbandoned: endsWithTask ? .end : .finish) {
                do {
                    return SignInOutcome(request: inquiry, result: .success(try await self.askAndChoose(inquiry)))
                } catch {
                    return SignInOutcome(request: inquiry, result: .failure(error))
                }
            }
            if shown.request == inquiry { return try shown.result.get() }
        }
    }

    private func askAndChoose(_ inquiry: Inquiry) async throws -> ChainResult {
        let walk = try await resolver.walkInteractively(inquiry)
        if let undecided = walk.undecided { throw resolver.failure(undecided) }
        if let found = walk.found { try await choose(found, because: .signedIn) }
        return walk
    }

    private func choose(_ choice: CurrentAccount, because reason: SelectionChange.Reason) async throws {
        defer { noteChange() }
        guard let selection else { return }
        choices.withLock { $0 += 1 }
        let previous = try await selection.set(choice)
        if previous?.account != choice.account {
            resolver.report(
                .selectionChanged(SelectionChange(from: previous?.account, to: choice.account, reason: reason)))
        }
    }

    private func forget(_ account: AccountID) async throws {
        defer { noteChange() }
        guard let selection, try await selection.clear(account) else { return }
        resolver.report(
            .selectionChanged(SelectionChange(from: account, to: nil, reason: .noLongerSignedIn(.noAccount))))
    }
}
