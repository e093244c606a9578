struct SilentLookup: Hashable, Sendable {
    let context: RequestContext
    /// The account to look for; `nil` for any.
    var account: AccountID?
    /// The ended session that an account is a fallback for.
    var fallback: SessionFallback?

    /// The lookup of the chosen account.
    func about(_ choice: ChainSelection.Choice?) -> SilentLookup {
        SilentLookup(context: context, account: choice?.account, fallback: choice?.fallback)
    }
}

extension IdentityProviderChain.Link {
    /// Whether only the provider's own sign-in finds out who is signed in there.
    var isAskedInteractivelyOnly: Bool { managed == nil && provider.mayShowSignIn }

    /// The provider's account, found within the deadline without showing anything.
    func lookUp(_ silent: SilentLookup, on time: TimeSource) async throws -> AccountLookup {
        if isAskedInteractivelyOnly {
            // Unknown without its own sign-in, so the choice stays.
            return silent.account.map(AccountLookup.found) ?? .none(.mayShowSignIn)
        }
        return try await withinDeadline(on: time) { [managed, provider] in
            guard let managed else { return try await provider.plainLookUp(silent) }
            guard let account = silent.account else { return try await managed.silentAccount(silent.context) }
            return try await managed.silentAccount(account, silent.context)
        }
    }

    /// Whether `account`, which needs its person, has an access token that works. Its server is asked where it is time to.
    /// - Throws: ``/IdentityCore/TokenStoreError``, `CancellationError`.
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

    /// The result of the provider's sign-in. A provider that never shows anything has the deadline of a silent lookup.
    func signIn(
        _ request: IdentityProviderChain.SignInRequest, on time: TimeSource
    ) async throws -> AccountLookup {
        let mayShow = provider.mayShowSignIn
        // After the end of a session, another account must not become active without being noticed.
        if request.again != nil, !mayShow { return .none(.cannotShowSignIn) }
        guard let managed else {
            let silent = SilentLookup(context: request.context)
            guard !mayShow else { return try await provider.plainLookUp(silent) }
            return try await withinDeadline(on: time) { [provider] in try await provider.plainLookUp(silent) }
        }
        let account =
            if let again = request.again {
                try await managed.signIn(again: again, request.context)
            } else {
                try await managed.signIn(request.context)
            }
        return account.map(AccountLookup.found) ?? .none(.cannotShowSignIn)
    }

    private func withinDeadline<Value: Sendable>(
        on time: TimeSource, _ look: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let limit = silentDeadline.limit else { return try await look() }
        return try await Deadline.run(limit, on: time, orThrow: ChainLinkError.tooSlow(limit: limit), look)
    }
}

/// A provider of three methods that knows why it has no account.
protocol ReasoningProvider: IdentityProvider {
    /// ``/IdentityCore/IdentityProvider/activeAccount(scopes:deviceToken:)`` with the reason for `nil`.
    func lookUp(_ silent: SilentLookup) async throws -> AccountLookup
}

extension IdentityProvider {
    /// ``activeAccount(scopes:deviceToken:)`` as a lookup.
    func plainLookUp(_ silent: SilentLookup) async throws -> AccountLookup {
        if let provider = self as? any ReasoningProvider { return try await provider.lookUp(silent) }
        let account = try await activeAccount(
            scopes: silent.context.scopes, deviceToken: silent.context.deviceToken)
        return account.map(AccountLookup.found) ?? .none(.noAccount)
    }
}
