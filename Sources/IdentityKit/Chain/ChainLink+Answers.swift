/// A silent lookup of an account at a provider.
struct SilentQuestion: Hashable, Sendable {
    let context: RequestContext
    /// The account to look for; `nil` for any.
    var account: AccountID?
    /// The ended session that an account is a fallback for.
    var fallback: SessionFallback?

    /// The lookup of the chosen account.
    func about(_ choice: ChainSelection.Choice?) -> SilentQuestion {
        SilentQuestion(context: context, account: choice?.account, fallback: choice?.fallback)
    }
}

extension IdentityProviderChain.Link {
    /// Whether only the provider's own sign-in finds out who is signed in there.
    var isAskedInteractivelyOnly: Bool { managed == nil && provider.mayShowSignIn }

    /// The provider's account, found within the deadline without showing anything.
    func answer(to question: SilentQuestion, on time: TimeSource) async throws -> AccountLookup {
        if isAskedInteractivelyOnly {
            // Unknown without its own sign-in, so the choice stays.
            return question.account.map(AccountLookup.found) ?? .none(.mayShowSignIn)
        }
        return try await withinDeadline(on: time) { [managed, provider] in
            guard let managed else { return try await provider.plainAnswer(to: question) }
            guard let account = question.account else { return try await managed.silentAccount(question.context) }
            return try await managed.silentAccount(account, question.context)
        }
    }

    /// The result of the provider's sign-in. A provider that never shows anything has the deadline of a silent lookup.
    func answer(
        to request: IdentityProviderChain.SignInRequest, on time: TimeSource
    ) async throws -> AccountLookup {
        let mayShow = provider.mayShowSignIn
        // After the end of a session, another account must not become active without being noticed.
        if request.again != nil, !mayShow { return .none(.cannotShowSignIn) }
        guard let managed else {
            let question = SilentQuestion(context: request.context)
            guard !mayShow else { return try await provider.plainAnswer(to: question) }
            return try await withinDeadline(on: time) { [provider] in try await provider.plainAnswer(to: question) }
        }
        let account =
            if let again = request.again {
                try await managed.signIn(again: again, request.context)
            } else {
                try await managed.signIn(request.context)
            }
        return account.map(AccountLookup.found) ?? .none(.cannotShowSignIn)
    }

    private func withinDeadline(
        on time: TimeSource, _ look: @escaping @Sendable () async throws -> AccountLookup
    ) async throws -> AccountLookup {
        guard let limit = silentDeadline.limit else { return try await look() }
        return try await Deadline.run(limit, on: time, orThrow: ChainLinkError.tooSlow(limit: limit), look)
    }
}

/// A provider of three methods that knows why it has no account.
protocol ReasoningProvider: IdentityProvider {
    /// ``IdentityProvider/activeAccount(scopes:deviceToken:)`` with the reason for `nil`.
    func answer(to question: SilentQuestion) async throws -> AccountLookup
}

extension IdentityProvider {
    /// ``activeAccount(scopes:deviceToken:)`` as a lookup.
    func plainAnswer(to question: SilentQuestion) async throws -> AccountLookup {
        if let provider = self as? any ReasoningProvider { return try await provider.answer(to: question) }
        let account = try await activeAccount(
            scopes: question.context.scopes, deviceToken: question.context.deviceToken)
        return account.map(AccountLookup.found) ?? .none(.noAccount)
    }
}
