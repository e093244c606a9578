extension IdentityProviderChain {
    /// What callers must agree on to share a silent walk.
    struct LookupKey: Hashable, Sendable {
        let scopes: Set<String>
        let deviceToken: String
        /// The account an outer chain has chosen.
        var account: AccountID?
    }

    /// What callers must agree on to share a sign-in.
    struct SignInRequest: Hashable, Sendable {
        let scopes: Set<String>
        let deviceToken: String
        /// The only provider to ask; `nil` for all.
        var provider: String?
    }

    /// There is one, whatever is asked for, so one sign-in is shown at a time.
    enum Screen { case only }

    /// Whose sign-in was on the screen, and what came of it.
    struct SignInAnswer: Sendable {
        let request: SignInRequest
        let result: Result<ChainWalk, any Error>
    }

    // MARK: Asking in order

    /// Asks every provider silently and reports each answer, without choosing anything: for diagnosis.
    public func explain(scopes: Set<String>, deviceToken: String) async -> [ChainAttempt] {
        await walker.askEverybody(scopes: scopes, deviceToken: deviceToken)
    }

    /// The chosen account when it is still there, else the account of the first provider that has one, which is chosen
    /// then.
    /// - Throws: ``ChainError`` when a provider fails before one with an account is found, ``TokenStoreError`` when the
    ///   choice cannot be read.
    public func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup {
        try await silentWalk(LookupKey(scopes: scopes, deviceToken: deviceToken)).lookup()
    }

    /// Asks the provider of `account`, which an outer chain has chosen.
    /// - Throws: ``ChainError`` when it fails.
    public func silentAccount(
        _ account: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> AccountLookup {
        try await silentWalk(LookupKey(scopes: scopes, deviceToken: deviceToken, account: account)).lookup()
    }

    /// The signed-in account, else what the first provider that can show a sign-in comes to, else `nil`.
    /// - Throws: ``ChainError`` when a provider fails or the user does not sign in.
    public func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        let request = SignInRequest(scopes: scopes, deviceToken: deviceToken)
        return try await signIns.value(for: request, whenAbandoned: .cancel) {
            let silent = try await self.silentWalk(LookupKey(scopes: scopes, deviceToken: deviceToken))
            return silent.found == nil ? try await self.show(request) : silent
        }.found?.account
    }

    /// Lets the first provider that can show a sign-in do so. The account becomes the chosen one.
    /// - Throws: ``ChainError`` when that provider fails or the user does not sign in.
    public func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        let request = SignInRequest(scopes: scopes, deviceToken: deviceToken)
        return try await show(request).found?.account
    }

    /// Lets the provider called `name`, and no other, show a sign-in. The account becomes the chosen one.
    /// - Throws: ``ChainUsageError``, or ``ChainError`` when the user does not sign in.
    public func signIn(with name: String, scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        guard links.contains(where: { $0.name == name }) else {
            throw ChainUsageError.unknownProvider(name, known: links.map(\.name))
        }
        guard walker.includes(name) else {
            throw ChainUsageError.excluded(provider: name, override: override?.origin ?? "")
        }
        let request = SignInRequest(scopes: scopes, deviceToken: deviceToken, provider: name)
        return try await show(request).found?.account
    }

    /// Chooses an account that is signed in: the app lets the user switch.
    /// - Throws: ``ChainUsageError``, ``ChainError`` when its provider fails, ``SessionError/notSignedIn(_:)``.
    public func select(_ account: AccountID, scopes: Set<String>, deviceToken: String) async throws {
        let link = try route(to: account).link
        let attempt = await walker.ask(link, for: account, scopes: scopes, deviceToken: deviceToken)
        switch attempt.outcome {
        case .account(account):
            try await choose(ChainSelection.Choice(provider: link.name, account: account), because: .selected)
        case .account, .none:
            throw SessionError.notSignedIn(account)
        case .failed(let error as CancellationError):
            throw error
        case .failed(let error), .passedOver(let error):
            throw walker.failure(ChainError(attempts: [attempt], stoppedAt: link.name, underlying: error))
        }
    }

    // MARK: The two passes

    private func silentWalk(_ key: LookupKey) async throws -> ChainWalk {
        try await lookups.value(for: key, whenAbandoned: .cancel) {
            let walk = try await self.findSilently(key)
            if let undecided = walk.undecided { self.walker.report(.walkFailed(undecided)) }
            return walk
        }
    }

    /// Shows a sign-in once the screen is free. Whoever asked for the same one gets its result.
    private func show(_ request: SignInRequest) async throws -> ChainWalk {
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

    private func signIn(_ request: SignInRequest) async throws -> ChainWalk {
        let walk = try await walker.walkInteractively(
            with: request.provider, scopes: request.scopes, deviceToken: request.deviceToken)
        if let undecided = walk.undecided { throw walker.failure(undecided) }
        if let found = walk.found { try await choose(found, because: .signedIn) }
        return walk
    }

    private func choose(_ choice: ChainSelection.Choice, because reason: SelectionChange.Reason) async throws {
        guard let selection else { return }
        let previous = try await selection.set(choice)
        if previous != choice {
            walker.report(
                .selectionChanged(SelectionChange(from: previous?.account, to: choice.account, reason: reason)))
        }
    }
}
