/// A chain's question to a provider, with everything that is passed along. Callers with the same value share the answer.
struct Inquiry: Hashable, Sendable {
    /// The OAuth scopes and the device.
    let context: CallerContext
    /// Asks for the account that is signed in, or for a sign-in.
    var question = Question.silent
    /// The account that is looked for, or whose session is of no use and is to be replaced by the sign-in; `nil` for any.
    var account: AccountID?
    /// The only provider that may show the sign-in, whose failure is then never skipped; `nil` for all.
    var provider: String?
    /// The wishes for this sign-in, beyond what is configured.
    var options = SignInWishes()
    /// The session that an account is a fallback for.
    var fallback: SessionFallback?
    /// Whether only the store has changed. Such a look leaves a choice that it disagrees with: another process made it, and
    /// would answer a change with one of its own, without end.
    var isFollowing = false

    typealias Question = ChainAttempt.Question

    init(
        _ context: CallerContext, _ question: Question = .silent, account: AccountID? = nil, provider: String? = nil,
        options: SignInWishes = .init()
    ) {
        (self.context, self.question, self.account, self.provider) = (context, question, account, provider)
        self.options = options
    }

    /// Whether a provider that is out of reach may be skipped. The one of a known account is not, because another account is
    /// no substitute, nor is the one that the user named.
    var mayPassOver: Bool { question == .silent ? account == nil : provider == nil }

    /// The inquiry about the chosen account.
    func about(_ choice: CurrentAccount) -> Inquiry {
        var inquiry = Inquiry(context, account: choice.account)
        inquiry.fallback = choice.fallback
        return inquiry
    }

    /// The providers of `links` to ask, in order.
    ///
    /// A sign-in is for a person, so a provider that needs none is its target only when it is named, or when no other can show
    /// one. In the place of a known account it never is: the user would get another one without noticing.
    func candidates(among links: [IdentityProviderChain.Link]) -> [IdentityProviderChain.Link] {
        guard question == .interactive else { return links }
        if let provider { return links.filter { $0.name == provider } }
        guard let account else { return links.filter(\.mayShowSignIn) + links.filter { !$0.mayShowSignIn } }
        return links.filter { $0.realms.containsBytes(of: account.realm) }
            + links.filter { !$0.realms.containsBytes(of: account.realm) }
    }
}

extension IdentityProviderChain.Link {
    /// The answer of the provider. It has the deadline of a silent lookup, unless it may show something.
    func answer(_ inquiry: Inquiry, on time: TimeSource) async throws -> AccountLookup {
        let mayTakeLong = inquiry.question == .interactive && (mayShowSignIn || !hasThreeMethods)
        if mayTakeLong { return try await answer(inquiry) }
        let readsAll = Locked(false)
        do {
            return try await WholeReading.hasBegun.withValue(readsAll) {
                try await withinDeadline(on: time) { try await answer(inquiry) }
            }
        } catch ChainLinkError.tooSlow where inquiry.account == nil && readsAll.withLock({ $0 }) {
            // The deadline is for servers, and the next reading of all sessions would take no less time.
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

    /// Gets the token of a workload where the next provider may take its place, because only that shows whether its server is
    /// there and fast enough.
    /// - Throws: what means that it is not there. Any other error is told by the call that needs the token, as without these
    ///   options.
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

    /// Whether `account`, which needs its person, has an access token that works. Its server is asked where it is time to.
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
