import Foundation

extension IdentityClient {
    /// Returns the active account. Lets the user sign in when there is none, or when its session has ended, is suspended
    /// or belongs to another configuration. With `name` or `options`, lets the user sign in even when an account is signed
    /// in, so that another person can sign in.
    ///
    /// The account becomes the active one, except in a client that requires every call to name its account. A suspended
    /// session is kept, but cannot be refreshed, usually until a new sign-in.
    /// - Parameters:
    ///   - name: the name of the provider that shows the sign-in; `nil` for the first one that can, or if none can, a
    ///     provider that needs no person.
    ///   - scopes: the scopes that the session must have.
    ///   - options: options of this sign-in, such as a login hint. A value without any option also shows a sign-in. If both
    ///     `name` and `options` are `nil`, no sign-in is shown while an account with a working session is signed in.
    /// - Returns: the account. Without `name` and `options`, this may be an account whose session is suspended, when no
    ///   sign-in can be shown.
    /// - Throws: ``/IdentityCore/ChainError`` or the provider's error when the user did not sign in; before anything is
    ///   shown, an error with the code `sign_in_options_unusable` when the sign-in cannot use the options,
    ///   `unknown_provider` when no provider has the name, or `provider_excluded` when the client's `ProviderOverride`
    ///   excludes the provider. When no sign-in can be shown, ``ClientError/notSignedIn(_:)``, an error with the code
    ///   `not_configured` when no provider is configured completely, or, if both `name` and `options` are `nil`,
    ///   ``/IdentityCore/SessionError/ended(_:reason:)`` or ``/IdentityCore/SessionError/belongsElsewhere(_:reason:)``
    ///   for the session of the active account. Without `name`, ``ClientError/accountRequired`` in a client that
    ///   requires every call to name its account. Otherwise ``/IdentityCore/TokenStoreError``, an error with the code
    ///   `randomness_unavailable`, or `CancellationError`.
    @discardableResult
    public func signIn(
        with name: String? = nil, scopes: Set<String> = [], options: SignInWishes? = nil
    ) async throws -> AccountID {
        if requiresAccount, let name {
            return try await signInBeside(with: name, scopes: scopes, options: options ?? SignInWishes()).account
        }
        return try await adopt(scopes) { chain, context in
            guard name != nil || options != nil else { return try await chain.activeLookup(context) }
            return try await chain.shownLookup(context, with: name, options ?? SignInWishes())
        }
    }

    /// Lets the user sign in with the provider called `name`. An account that is active already stays active. If nobody is
    /// signed in, the new account becomes the active one.
    /// - Returns: the account, and whether it has become the active one.
    /// - Throws: as ``signIn(with:scopes:options:)``.
    package func signInBeside(
        with name: String, scopes: Set<String> = [], options: SignInWishes = SignInWishes()
    ) async throws -> (account: AccountID, isActive: Bool) {
        // Only if nobody is signed in, make the new account the active one. An active account stays active also if its session
        // cannot be read, has ended or belongs to another configuration.
        if case .absent(let reason)? = try? await lookUp(), reason.sessionError == nil {
            return (try await signIn(with: name, scopes: scopes, options: options), true)
        }
        return (try await signInOnly(with: name, scopes: scopes, options: options), false)
    }

    /// The key of a sign-in that concurrent requests share. The sign-in does not replace the active account.
    struct SignInBeside: Hashable, Sendable {
        let name: String
        /// The account that has to sign in; `nil` for any.
        let account: AccountID?
        let scopes: Set<String>
    }

    /// Signs in as ``signInBeside(with:scopes:options:)`` does, for a request. Concurrent requests share a sign-in, until
    /// all of them are cancelled.
    /// - Throws: as ``signInBeside(with:scopes:options:)``.
    func signInForRequest(
        with name: String, as account: AccountID? = nil, scopes: Set<String>
    ) async throws -> AccountID {
        let key = SignInBeside(name: name, account: account, scopes: scopes)
        return try await signIns.value(for: key, whenAbandoned: .cancel) {
            try await self.signInBeside(with: name, scopes: scopes).account
        }
    }

    /// Lets the user sign in with the provider called `name`, without a change of the active account.
    private func signInOnly(with name: String, scopes: Set<String>, options: SignInWishes) async throws -> AccountID {
        let link = try chain.participant(named: name)
        let context = try await context(scopes, stores: true)
        let account = try await ProviderError.classifying {
            try await link.provider.signIn(in: context, options: options)
        }
        guard let account else { throw ClientError.notSignedIn(AbsenceReason.cannotShowSignIn.description) }
        return account
    }

    /// Lets the person sign in for `request`, which could not be sent because of `error`.
    ///
    /// - If `account` is given, the account's provider shows the sign-in. The active account stays active.
    /// - Without `account`, a provider that has the request's address in ``ProviderConfiguration/sendsTo`` shows the sign-in,
    ///   unless `error` is about the session of the active account. The active account stays active.
    /// - In all other cases, the sign-in is that of ``signIn(with:scopes:options:)`` without a name and options.
    /// - Throws: ``ClientError/otherAccount(_:insteadOf:)`` when the sign-in was not that of `account`,
    ///   ``ClientError/unclearAddress(host:)``, otherwise as ``signInBeside(with:scopes:options:)`` and
    ///   ``signIn(with:scopes:options:)``.
    func showSignIn(
        for request: URLRequest, as account: AccountID?, after error: any Error, scopes: Set<String>
    ) async throws {
        if let account {
            let name = try chain.route(to: account).link.name
            let found = try await signInForRequest(with: name, as: account, scopes: scopes)
            guard found == account else { throw ClientError.otherAccount(found, insteadOf: account) }
        } else if let named = try otherProviders(at: request.url), try await !isAboutActive(error, scopes) {
            try await signIn(atOneOf: named, scopes: scopes)
        } else {
            try await signIn(scopes: scopes)
        }
    }

    /// Signs in as ``signIn(with:scopes:options:)`` does, for a screen: cancelling the task also closes the sign-in, and
    /// the call returns after it is closed.
    /// - Throws: as ``signIn(with:scopes:options:)``, and ``ClientError/accountRequired`` in a client that requires every
    ///   call to name its account.
    package func signInWithTask(with name: String) async throws {
        _ = try await adopt([]) { try await $0.shownLookup($1, with: name, SignInWishes(), endsWithTask: true) }
    }

    /// Lets the person of `account` sign in again with the provider called `name`, for a screen, and makes the account the
    /// active one. Cancelling the task also closes the sign-in.
    /// - Throws: ``ClientError/otherAccount(_:insteadOf:)`` when the sign-in was not that of `account`; otherwise as
    ///   ``signInWithTask(with:)`` and ``select(_:)``.
    func signInAgain(as account: AccountID, with name: String) async throws {
        try checkHasActive()
        let known = try await accounts()
        let found = try await signInOnly(with: name, scopes: [], options: SignInWishes())
        guard found == account else {
            // Sign a new account out again, because nobody asked for its session, and it could become the active account.
            if known.failures.isEmpty, !known.accounts.contains(where: { $0.account == found }) {
                await Task { try? await signOut(as: found) }.value
            }
            throw ClientError.otherAccount(found, insteadOf: account)
        }
        try await select(account)
    }

    /// Whether the provider of `account` requests tokens without a person, as a workload does, and has no valid token now.
    /// Only a request would show whether the provider's server issues a token. `false` also when no provider has the
    /// account's realm.
    public func isOnlyConfigured(_ account: AccountID) -> Bool {
        (try? chain.route(to: account).link.requesting?.hasToken) == false
    }

    /// Whether the provider of `account` never shows a sign-in, as for a workload or for a token from the environment.
    package func isNoPerson(_ account: AccountID) -> Bool {
        (try? chain.route(to: account).link.mayShowSignIn) == false
    }

    /// The number of times that the providers of the client were replaced.
    var epoch: Int { state.withLock { $0.epoch } }

    /// The providers that a sign-in may ask, in order.
    /// - Parameter account: the account whose session the sign-in replaces; `nil` for any.
    package func signInCandidates(replacing account: AccountID?) -> [IdentityProviderChain.Link] {
        chain.signInCandidates(replacing: account)
    }
}
