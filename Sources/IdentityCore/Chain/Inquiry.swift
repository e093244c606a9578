/// The arguments of a chain's lookup or sign-in. Callers with an equal inquiry share the answer.
struct Inquiry: Hashable, Sendable {
    let context: CallerContext
    /// Whether to look up silently or to show a sign-in.
    var question = Question.silent
    /// The account to look up, or the account with the unusable session that the sign-in replaces; `nil` for any
    /// account.
    var account: AccountID?
    /// The only provider that may show the sign-in. If it fails, no other provider is tried. `nil` for all providers.
    var provider: String?
    var options = SignInWishes()
    /// The fallback to report with the found account: the account whose session cannot be used, and the reason. `nil`
    /// for none.
    var fallback: SessionFallback?
    /// Whether a change of the store caused the lookup. Such a lookup replaces a stored choice only when the session of
    /// the chosen account has ended and the chain falls back. Two processes that disagree would otherwise overwrite
    /// each other's choice without end.
    var isFollowing = false

    typealias Question = ChainAttempt.Question

    init(
        _ context: CallerContext, _ question: Question = .silent, account: AccountID? = nil, provider: String? = nil,
        options: SignInWishes = .init()
    ) {
        (self.context, self.question, self.account, self.provider) = (context, question, account, provider)
        self.options = options
    }

    /// Whether a provider that cannot be reached may be skipped. A silent lookup of a known account and a sign-in at a
    /// named provider do not skip it, because another account is no substitute.
    var mayPassOver: Bool { question == .silent ? account == nil : provider == nil }

    /// Returns a silent inquiry about the chosen account and its fallback, with the same context.
    func about(_ choice: CurrentAccount) -> Inquiry {
        var inquiry = Inquiry(context, account: choice.account)
        inquiry.fallback = choice.fallback
        return inquiry
    }

    /// The providers of `links` to try, in order:
    ///
    /// - For a silent lookup, all of them, in the order of `links`.
    /// - For a sign-in at a named provider, only this provider.
    /// - For a sign-in that replaces the session of an account, first the provider of that account, then the others.
    /// - For any other sign-in, first the providers that can show a sign-in, then the others.
    ///
    /// A provider that shows no sign-in, such as a workload, signs in only when it is named, or when no other provider
    /// can show a sign-in. Such a provider never replaces the session of a known account, because the user would get
    /// another account without noticing.
    func candidates(among links: [IdentityProviderChain.Link]) -> [IdentityProviderChain.Link] {
        guard question == .interactive else { return links }
        if let provider { return links.filter { $0.name == provider } }
        guard let account else { return links.filter(\.mayShowSignIn) + links.filter { !$0.mayShowSignIn } }
        return links.filter { $0.realms.containsBytes(of: account.realm) }
            + links.filter { !$0.realms.containsBytes(of: account.realm) }
    }
}

extension IdentityProviderChain.Link {
    /// Returns the provider's answer. The link's deadline applies to a silent lookup, and to the sign-in of a provider
    /// that implements only ``IdentityProvider`` and shows nothing.
    func answer(_ inquiry: Inquiry, on time: TimeSource) async throws -> AccountLookup {
        let mayTakeLong = inquiry.question == .interactive && (mayShowSignIn || !hasThreeMethods)
        if mayTakeLong { return try await answer(inquiry) }
        let readsAll = Locked(false)
        do {
            return try await WholeReading.hasBegun.withValue(readsAll) {
                try await withinDeadline(on: time) { try await answer(inquiry) }
            }
        } catch ChainLinkError.tooSlow where inquiry.account == nil && readsAll.withLock({ $0 }) {
            // Repeat without a deadline. The lookup was reading the whole store, and the next lookup would take as long.
            // The deadline is meant for slow servers of providers.
            return try await answer(inquiry)
        }
    }

    private func answer(_ inquiry: Inquiry) async throws -> AccountLookup {
        let context = inquiry.context
        do {
            switch (inquiry.question, inquiry.account) {
            case (.silent, nil):
                let lookup = try await provider.silentAccount(in: context)
                try await getToken(of: lookup.account, context.scopes)
                return lookup
            case (.silent, let account?):
                return try await provider.silentAccount(account, in: context)
            case (.interactive, _?) where !mayShowSignIn: return .absent(.cannotShowSignIn)
            case (.interactive, let account):
                let options = inquiry.options
                let inner = Inquiry(context, .interactive, account: account, options: options)
                let found =
                    if let chain {
                        try await chain.show(inner, endsWithTask: true).found?.account
                    } else {
                        try await provider.signIn(in: context, options: options)
                    }
                try await getToken(of: found, context.scopes)
                return found.map(AccountLookup.found) ?? .absent(hasThreeMethods ? .noAccount : .cannotShowSignIn)
            }
        } catch  where isUnavailable?(error) == true {
            return .absent(.unavailable(error.scrubbedMessage))
        } catch SessionError.ended(let account, let reason)
            where inquiry.question == .silent && account == inquiry.account
        {
            return .absent(.sessionEnded(reason))
        } catch SessionError.belongsElsewhere(let account, let reason)
            where inquiry.question == .silent && account == inquiry.account
        {
            return .absent(.belongsElsewhere(reason))
        }
    }

    /// Requests a token if the chain may skip the provider, and the provider is a workload (which needs no person to sign in)
    /// without a token. Only such a request shows whether the workload's server can be reached in time.
    /// - Throws: `CancellationError`, and with ``fallsBackWhenUnavailable`` an error that means that the server cannot
    ///   be reached. Any other error is left to the call that needs the token.
    private func getToken(of account: AccountID?, _ scopes: Set<String>) async throws {
        guard let account, let requesting, fallsBackWhenUnavailable || silentDeadline.policy == .skip,
            !requesting.hasToken
        else { return }
        do {
            _ = try await requesting.accessToken(for: account, scopes: scopes)
        } catch let error
            where error is CancellationError || (fallsBackWhenUnavailable && error.meansUnavailableBackend)
        {
            throw error
        } catch {}
    }

    /// Whether a suspended `account` still has a working access token. The provider asks its server again when
    /// ``Suspension/nextAttempt`` has passed. If the provider throws an error that this method does not throw, the result is
    /// `false`.
    /// - Throws: ``TokenStoreError``, `CancellationError`; ``ChainLinkError`` when the provider is too slow, unless the
    ///   chain may skip it for `inquiry`.
    func hasToken(of account: AccountID, for inquiry: Inquiry, on time: TimeSource) async throws -> Bool {
        let mayPassOver = inquiry.mayPassOver && (fallsBackWhenUnavailable || silentDeadline.policy == .skip)
        do {
            return try await withinDeadline(on: time) { [provider] in
                _ = try await provider.accessToken(for: account, scopes: [])
                return true
            }
        } catch let error where error is CancellationError || error is TokenStoreError {
            throw error
        } catch let error as ChainLinkError where !mayPassOver {
            throw error
        } catch {
            return false
        }
    }

    private func withinDeadline<Value: Sendable>(
        on time: TimeSource, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let limit = silentDeadline.limit else { return try await work() }
        return try await Deadline.run(limit, on: time, orThrow: ChainLinkError.tooSlow(limit: limit), work)
    }
}
