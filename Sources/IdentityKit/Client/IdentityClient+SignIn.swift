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

    /// Lets the user sign in with the provider called `name`, even when an account is signed in. The account becomes the
    /// active one, except in a client that requires every call to name one.
    /// - Throws: ``/IdentityCore/ChainUsageError``, ``/IdentityCore/ChainError`` or the provider's error when the user did not sign in, and at once where
    ///   the provider's sign-in has no place for the options.
    @discardableResult
    public func signIn(
        with name: String, scopes: Set<String> = [], options: SignInOptions = SignInOptions()
    ) async throws -> AccountID {
        guard !requiresAccount else {
            return try await signInBeside(with: name, scopes: scopes, options: options).account
        }
        return try await adopt(scopes) { try await $0.shownLookup($1, with: name, options) }
    }

    /// Lets the first provider that can show a sign-in do so with these options, even when an account is signed in, so that
    /// another person can sign in. A provider that needs no person is asked only where none can show a sign-in.
    /// - Throws: as ``signIn(with:scopes:options:)``; the cause is ``/IdentityCore/SignInOptionsError`` where the provider's sign-in has
    ///   no place for the options.
    @discardableResult
    public func signIn(scopes: Set<String> = [], options: SignInOptions) async throws -> AccountID {
        try await adopt(scopes) { try await $0.shownLookup($1, options) }
    }

    /// Lets the user sign in with the provider called `name`, and leaves the active account as it is. Only where nobody is
    /// signed in the new account becomes the active one.
    /// - Returns: the account, and whether it is the active one.
    /// - Throws: ``/IdentityCore/ChainUsageError``, ``ClientError/notSignedIn(_:)``, or the provider's error.
    package func signInBeside(
        with name: String, scopes: Set<String> = [], options: SignInOptions = SignInOptions()
    ) async throws -> (account: AccountID, isActive: Bool) {
        // An active account whose session cannot be read or has ended is one as well.
        if case .absent(let reason)? = try? await lookUp(), reason.sessionError == nil {
            return (try await signIn(with: name, scopes: scopes, options: options), true)
        }
        guard let link = links.first(where: { $0.name == name }) else {
            throw ChainUsageError.unknownProvider(name, known: links.map(\.name))
        }
        let context = try await context(scopes, stores: true)
        let account = try await ProviderError.classifying {
            try await link.provider.signIn(in: context, options: options)
        }
        guard let account else { throw ClientError.notSignedIn(AbsenceReason.cannotShowSignIn.description) }
        return (account, false)
    }

    /// Lets the person sign in for `request`, which `error` has kept back: as `account` again, without one where the address is
    /// named, and otherwise as ``signIn(scopes:)`` does. The first two leave the active account as it is.
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

    /// ``signIn(with:scopes:options:)`` for a screen: when the task is cancelled the sign-in ends, and this returns once
    /// nothing of it is shown any more.
    /// - Throws: as ``signIn(with:scopes:options:)``.
    package func signInWithTask(with name: String) async throws {
        _ = try await adopt([]) { try await $0.shownLookup($1, with: name, SignInOptions(), endsWithTask: true) }
    }

    /// Whether the provider of `account` signs nobody in and has no access token yet, such as a workload before its first
    /// request: it is configured, and nobody knows whether its server gives it one.
    public func isOnlyConfigured(_ account: AccountID) -> Bool {
        (try? chain.route(to: account).link.requesting?.hasToken) == false
    }

    /// Whether nobody has to sign in to be `account`, such as a workload.
    package func isNoPerson(_ account: AccountID) -> Bool {
        (try? chain.route(to: account).link.mayShowSignIn) == false
    }

    /// Numbers the configurations of the client.
    var epoch: Int { state.withLock { $0.epoch } }

    /// The providers that a sign-in may ask, in order.
    /// - Parameter account: the account whose session it replaces; `nil` for any.
    package func signInCandidates(replacing account: AccountID?) -> [IdentityProviderChain.Link] {
        chain.signInCandidates(replacing: account)
    }
}
