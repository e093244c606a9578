/// The arguments of a chain's call to one provider. Callers with an equal inquiry share the answer.
struct Inquiry: Hashable, Sendable {
    /// The OAuth scopes and the device.
    let context: CallerContext
    /// Whether to look up silently or to show a sign-in.
    var question = Question.silent
    /// The account to look up, or whose unusable session the sign-in replaces; `nil` for any.
    var account: AccountID?
    /// The only provider that may show the sign-in. Its failure is never skipped. `nil` for all providers.
    var provider: String?
    var options = SignInWishes()
    /// The unusable session that the found account stands in for; `nil` for none.
    var fallback: SessionFallback?
    /// Whether the lookup follows a change of the store. Such a lookup never replaces a choice that another process has
    /// made: two processes that disagree would otherwise overwrite each other's choice without end.
    var isFollowing = false

    typealias Question = ChainAttempt.Question

    init(
        _ context: CallerContext, _ question: Question = .silent, account: AccountID? = nil, provider: String? = nil,
        options: SignInWishes = .init()
    ) {
        (self.context, self.question, self.account, self.provider) = (context, question, account, provider)
        self.options = options
    }

    /// Whether a provider that cannot be reached may be skipped. A provider asked for a known account, or named by the
    /// user, is not skipped: another account is no substitute.
    var mayPassOver: Bool { question == .silent ? account == nil : provider == nil }

    /// The inquiry, limited to the chosen account.
    func about(_ choice: CurrentAccount) -> Inquiry {
        var inquiry = Inquiry(context, account: choice.account)
        inquiry.fallback = choice.fallback
        return inquiry
    }

    /// The providers of `links` to ask, in order.
    ///
    /// A sign-in is for a person, so a provider that needs none is its target only when it is named, or when no other
    /// can show one. To replace a known account, such a provider is never chosen: the user would get another account
    /// without noticing.
    func candidates(among links: [IdentityProviderChain.Link]) -> [IdentityProviderChain.Link] {
        guard question == .interactive else { return links }
        if let provider { return links.filter { $0.name == provider } }
        guard let account else { return links.filter(\.mayShowSignIn) + links.filter { !$0.mayShowSignIn } }
        return links.filter { $0.realms.containsBytes(of: account.realm) }
            + links.filter { !$0.realms.containsBytes(of: account.realm) }
    }
}

extension IdentityProviderChain.Link {
    /// The answer of the provider, within the link's deadline unless the provider may show something.
    func answer(_ inquiry: Inquiry, on time: TimeSource) async throws -> AccountLookup {
        let mayTakeLong = inquiry.question == .interactive && (mayShowSignIn || !hasThreeMethods)
        if mayTakeLong { return try await answer(inquiry) }
        let readsAll = Locked(false)
        do {
            return try await WholeReading.hasBegun.withValue(readsAll) {
                try await withinDeadline(on: time) { try await answer(inquiry) }
            }
        } catch ChainLinkError.tooSlow where inquiry.account == nil && readsAll.withLock({ $0 }) {
            // No deadline: the lookup was busy reading the whole store, which is no fault of a server and would take as
            // long the next time.
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

    /// Requests the token of a workload that the next provider may replace, because only the request shows whether its
    /// server can be reached in time.
    /// - Throws: errors that mean that the server cannot be reached. Any other error is left to the call that needs the
    ///   token.
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

    /// Whether a suspended `account` still has a working access token. Its server is asked again when the pause of the
    /// suspension is over.
    /// - Throws: ``TokenStoreError``, `CancellationError`.
    func hasToken(of account: AccountID, on time: TimeSource) async throws -> Bool {
        do {
            return try await withinDeadline(on: time) { [provider] in
                _ = try await provider.accessToken(for: account, scopes: [])
                return true
            }
        } catch let error where error is CancellationError || error is TokenStoreError {
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
