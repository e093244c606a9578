import Foundation

extension IdentityClient {
    /// Returns the active account. Lets the user sign in when there is none, or when its session has ended, is suspended
    /// or belongs to another configuration.
    /// - Returns: the account. When no sign-in can be shown, this may be an account whose session is suspended.
    /// - Throws: ``/IdentityCore/ChainError`` or the provider's error when the user did not sign in. When no sign-in
    ///   can be shown, ``/IdentityCore/SessionError/ended(_:reason:)`` or
    ///   ``/IdentityCore/SessionError/belongsElsewhere(_:reason:)`` for the session of the active account; without an
    ///   active account, an error with the code `not_configured` when no provider is configured completely, or
    ///   ``ClientError/notSignedIn(_:)``. ``ClientError/accountRequired`` in a client that requires every call to name
    ///   its account. Otherwise ``/IdentityCore/TokenStoreError``, an error with the code `randomness_unavailable`, or
    ///   `CancellationError`.
    @discardableResult
    public func signIn(scopes: Set<String> = []) async throws -> AccountID {
        try await adopt(scopes) { try await $0.activeLookup($1) }
    }

    /// Lets the user sign in with the provider called `name`, even when an account is signed in. The account becomes
    /// the active one, except in a client that requires every call to name its account.
    /// - Throws: an error with the code `unknown_provider` when no provider has this name, `provider_excluded` when the
    ///   override excludes it, or, before anything is shown, `sign_in_options_unusable` when the sign-in cannot use the
    ///   options; ``/IdentityCore/ChainError`` or the provider's error when the user did not sign in;
    ///   ``ClientError/notSignedIn(_:)`` when the provider cannot show a sign-in here. Otherwise
    ///   ``/IdentityCore/TokenStoreError``, an error with the code `randomness_unavailable`, or `CancellationError`.
    @discardableResult
    public func signIn(
        with name: String, scopes: Set<String> = [], options: SignInWishes = SignInWishes()
    ) async throws -> AccountID {
        guard !requiresAccount else {
            return try await signInBeside(with: name, scopes: scopes, options: options).account
        }
        return try await adopt(scopes) { try await $0.shownLookup($1, with: name, options) }
    }

    /// Lets the user sign in with the first provider that can show a sign-in, even when an account is signed in, so that
    /// another person can sign in. If no provider can show a sign-in, uses a provider that needs no person.
    /// - Throws: as ``signIn(with:scopes:options:)``, and ``ClientError/accountRequired`` in a client that requires every
    ///   call to name its account.
    @discardableResult
    public func signIn(scopes: Set<String> = [], options: SignInWishes) async throws -> AccountID {
        try await adopt(scopes) { try await $0.shownLookup($1, options) }
    }

    /// Lets the user sign in with the provider called `name`, and keeps the active account. If nobody is signed in, the
    /// new account becomes the active one.
    /// - Returns: the account, and whether it has become the active one.
    /// - Throws: as ``signIn(with:scopes:options:)``.
    package func signInBeside(
        with name: String, scopes: Set<String> = [], options: SignInWishes = SignInWishes()
    ) async throws -> (account: AccountID, isActive: Bool) {
        // An account whose session cannot be read, has ended or belongs elsewhere stays the active one.
        if case .absent(let reason)? = try? await lookUp(), reason.sessionError == nil {
            return (try await signIn(with: name, scopes: scopes, options: options), true)
        }
        let link = try chain.participant(named: name)
        let context = try await context(scopes, stores: true)
        let account = try await ProviderError.classifying {
            try await link.provider.signIn(in: context, options: options)
        }
        guard let account else { throw ClientError.notSignedIn(AbsenceReason.cannotShowSignIn.description) }
        return (account, false)
    }

    /// Lets the person sign in for `request`, which could not be sent because of `error`.
    ///
    /// If `account` is given, its provider shows the sign-in. Otherwise a provider that has the request's address in
    /// ``ProviderConfiguration/sendsTo`` does, unless `error` is about the session of the active account. In both cases an
    /// active account stays active. In all other cases the sign-in is that of ``signIn(scopes:)``.
    /// - Throws: ``ClientError/otherAccount(_:insteadOf:)`` when the sign-in was not that of `account`,
    ///   ``ClientError/unclearAddress(host:)``, otherwise as ``signInBeside(with:scopes:options:)`` and
    ///   ``signIn(scopes:)``.
    func showSignIn(
        for request: URLRequest, as account: AccountID?, after error: any Error, scopes: Set<String>
    ) async throws {
        if let account {
            let name = try chain.route(to: account).link.name
            let found = try await signInBeside(with: name, scopes: scopes).account
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

    /// Whether the provider of `account` requests tokens without a person, as a workload does, and has no valid token now.
    /// Only a request would show whether its server issues a token. `false` also when no provider has the account's realm.
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
