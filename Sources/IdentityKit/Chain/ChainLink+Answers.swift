/// What a provider is asked silently.
struct SilentQuestion: Hashable, Sendable {
    let context: RequestContext
    /// The account to look for; `nil` for whichever there is.
    var account: AccountID?
    /// Whom an account that is found now stands in for.
    var fallback: SessionFallback?

    /// The question about the chosen account.
    func about(_ choice: ChainSelection.Choice?) -> SilentQuestion {
        SilentQuestion(context: context, account: choice?.account, fallback: choice?.fallback)
    }
}

extension IdentityProviderChain.Link {
    /// Whether only the provider's own sign-in tells who is signed in there.
    var isAskedInteractivelyOnly: Bool { managed == nil && provider.mayShowSignIn }

    /// What the provider says without showing anything, within the deadline.
    func answer(to question: SilentQuestion, on time: TimeSource) async throws -> AccountLookup {
        if isAskedInteractivelyOnly {
            // Only its own sign-in could tell, so the choice made then stands.
            return question.account.map(AccountLookup.found) ?? .none(.mayShowSignIn)
        }
        return try await withinDeadline(on: time) { [managed, provider] in
            guard let managed else { return try await provider.plainAnswer(to: question) }
            guard let account = question.account else { return try await managed.silentAccount(question.context) }
            return try await managed.silentAccount(account, question.context)
        }
    }

    /// What the provider's sign-in comes to. One that never shows anything has no more time than for a silent answer.
    func answer(
        to request: IdentityProviderChain.SignInRequest, on time: TimeSource
    ) async throws -> AccountLookup {
        let mayShow = provider.mayShowSignIn
        // After the end of a session, a provider that shows nothing must not take its place unnoticed.
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

/// A provider of three methods that can say why it has no account.
protocol ReasoningProvider: IdentityProvider {
    /// What ``IdentityProvider/activeAccount(scopes:deviceToken:)`` comes to, with the reason for `nil`.
    func answer(to question: SilentQuestion) async throws -> AccountLookup
}

extension IdentityProvider {
    /// What ``activeAccount(scopes:deviceToken:)`` comes to, as the answer to a question.
    func plainAnswer(to question: SilentQuestion) async throws -> AccountLookup {
        if let provider = self as? any ReasoningProvider { return try await provider.answer(to: question) }
        let account = try await activeAccount(
            scopes: question.context.scopes, deviceToken: question.context.deviceToken)
        return account.map(AccountLookup.found) ?? .none(.noAccount)
    }
}
