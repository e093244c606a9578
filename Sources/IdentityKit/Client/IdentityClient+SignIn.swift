import Foundation

extension IdentityClient {
    /// The active account. The user signs in when there is none, or when its session has ended.
    /// - Throws: ``/IdentityCore/ChainError`` or the provider's error when the user did not sign in,
    ///   ``/IdentityCore/SessionError/ended(_:reason:)`` when the active account's session has ended and no sign-in can be
    ///   shown.
    @discardableResult
    public func signIn(scopes: Set<String> = []) async throws -> AccountID {
        try await adopt(scopes) { try await $0.activeLookup($1) }
    }

    /// Lets the user sign in with the provider called `name`, even when an account is signed in. The account becomes
    /// the active one, except in a client that requires every call to name its account.
    /// - Throws: ``/IdentityCore/ChainUsageError``, ``/IdentityCore/ChainError`` or the provider's error when the user
    ///   did not sign in, and at once where the provider's sign-in cannot use the options.
    @discardableResult
    public func signIn(
        with name: String, scopes: Set<String> = [], options: SignInOptions = SignInOptions()
    ) async throws -> AccountID {
        guard !requiresAccount else {
            return try await signInBeside(with: name, scopes: scopes, options: options).account
        }
        return try await adopt(scopes) { try await $0.shownLookup($1, with: name, options) }
    }

    /// Lets the first provider that can show a sign-in do so with these options, even when an account is signed in, so
    /// that another person can sign in. A provider that needs no person is asked only where none can show a sign-in.
    /// - Throws: as ``signIn(with:scopes:options:)``; the cause is ``/IdentityCore/SignInOptionsError`` where the
    ///   provider's sign-in cannot use the options.
    @discardableResult
    public func signIn(scopes: Set<String> = [], options: SignInOptions) async throws -> AccountID {
        try await adopt(scopes) { try await $0.shownLookup($1, options) }
    }

    /// Lets the user sign in with the provider called `name`, and keeps the active account. If nobody is signed in, the
    /// new account becomes the active one.
    /// - Returns: the account, and whether it has become the active one.
    /// - Throws: ``/IdentityCore/ChainUsageError``, ``ClientError/notSignedIn(_:)``, or the provider's error.
    package func signInBeside(
        with name: String, scopes: Set<String> = [], options: SignInOptions = SignInOptions()
    ) async throws -> (account: AccountID, isActive: Bool) {
        // An account whose session cannot be read or has ended is still the active one.
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

    /// Lets the person sign in for `request`, which could not be sent because of `error`: again as `account` when one
    /// is given, at the provider that names the address, or else as ``signIn(scopes:)`` does. In the first two cases
    /// the active account stays the same.
    /// - Throws: ``ClientError/otherAccount(_:insteadOf:)``, otherwise as ``signInBeside(with:scopes:options:)``.
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

    /// Signs in as ``signIn(with:scopes:options:)`` does, for a screen: cancelling the task also ends the sign-in, and
    /// the call returns once nothing of the sign-in is shown any more.
    /// - Throws: as ``signIn(with:scopes:options:)``.
    package func signInWithTask(with name: String) async throws {
        _ = try await adopt([]) { try await $0.shownLookup($1, with: name, SignInOptions(), endsWithTask: true) }
    }

    /// Whether the provider of `account` requests tokens without a person, as a workload does, and has no valid one now.
    /// It is then unknown whether its server would issue one.
    public func isOnlyConfigured(_ account: AccountID) -> Bool {
        (try? chain.route(to: account).link.requesting?.hasToken) == false
    }

    /// Whether `account` belongs to a workload and not to a person, so that nobody has to sign in.
    package func isNoPerson(_ account: AccountID) -> Bool {
        (try? chain.route(to: account).link.mayShowSignIn) == false
    }

    /// Number of the current configuration; rises with each replacement.
    var epoch: Int { state.withLock { $0.epoch } }

    /// The providers that a sign-in may ask, in order.
    /// - Parameter account: the account whose session the sign-in replaces; `nil` for any.
    package func signInCandidates(replacing account: AccountID?) -> [IdentityProviderChain.Link] {
        chain.signInCandidates(replacing: account)
    }
}
