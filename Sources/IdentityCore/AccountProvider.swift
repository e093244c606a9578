/// A provider that can look up an account without showing anything, replace a refused token and sign out.
///
/// A chain is an account provider itself. A provider with only the three methods of ``IdentityProvider`` works in a
/// chain too. ``IdentityProvider/mayShowSignIn`` of such a provider is about ``signIn(in:)``; the silent methods never
/// show anything. IdentityKit's `SessionProvider` also puts the tokens into requests.
public protocol AccountProvider: IdentityProvider {
    /// The realms of this provider's accounts. A chain routes by them.
    var realms: Set<String> { get }

    /// Name of the setting or environment variable that this provider lacks; `nil` when it can work. A chain skips a
    /// provider with missing configuration. Do not read files or use the network here.
    var missingConfiguration: String? { get }

    /// Looks up a signed-in account without showing anything.
    /// - Throws: when it cannot be found out whether an account is signed in, for example because the store is locked.
    func silentAccount(in context: CallerContext) async throws -> AccountLookup

    /// Looks up one account, which was chosen before, without showing anything. By default it calls
    /// ``silentAccount(in:)``, which may find another account.
    /// - Throws: when it cannot be found out whether the account is signed in.
    func silentAccount(_ account: AccountID, in context: CallerContext) async throws -> AccountLookup

    /// Lets the user sign in, even when an account is signed in already.
    /// - Returns: the new account, or `nil` when this provider cannot show a sign-in here.
    /// - Throws: when the user did not sign in.
    func signIn(in context: CallerContext) async throws -> AccountID?

    /// How the sign-in is shown; `nil` when that is not known.
    var signInForm: SignInForm? { get }

    /// Lets the user sign in as ``signIn(in:)`` does, with options for this sign-in.
    /// - Throws: as ``signIn(in:)``, and ``SignInOptionsError`` before anything is shown when the sign-in cannot use
    ///   the options.
    func signIn(in context: CallerContext, options: SignInWishes) async throws -> AccountID?

    /// A token other than `rejectedToken`, which a resource server has just refused with 401. When the session was refreshed
    /// meanwhile, the newer token is returned without a request.
    /// - Throws: when the session cannot be refreshed.
    func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String

    /// A token that lasts as long as the caller needs it: the current one, or else a refreshed one. A refreshed token
    /// that ends too soon as well is returned all the same. The default implementation returns the current token, or
    /// for ``TokenFreshness/new`` another one.
    /// - Throws: as ``IdentityProvider/accessToken(for:scopes:)``, and when the session cannot be refreshed.
    func accessToken(
        for accountID: AccountID, scopes: Set<String>, freshness: TokenFreshness
    ) async throws -> String

    /// A token for one resource, in addition to the session's own token. The default implementation has none for any
    /// resource.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - scopes: the OAuth scopes the token must carry.
    ///   - resource: the identifier of the resource (RFC 8707 section 2); `nil` for the session's own token.
    ///   - rejectedToken: a token that the resource has just refused; `nil` for the current one.
    /// - Throws: ``SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)`` when there is none, otherwise as
    ///   ``IdentityProvider/accessToken(for:scopes:)``.
    nonisolated(nonsending) func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, replacing rejectedToken: String?
    ) async throws -> String

    /// Ends the session, first in the store and then at the backend, if it supports that.
    /// - Throws: when the local session could not be ended. A backend that cannot be reached is not an error.
    func signOut(_ accountID: AccountID) async throws
}

extension AccountProvider {
    public var missingConfiguration: String? { nil }

    public var signInForm: SignInForm? { nil }

    /// Calls ``signIn(in:)`` when `options` is empty, and otherwise throws.
    /// - Throws: what ``signIn(in:)`` throws, and ``SignInOptionsError``.
    public func signIn(in context: CallerContext, options: SignInWishes) async throws -> AccountID? {
        guard options.isEmpty else { throw SignInOptionsError() }
        return try await signIn(in: context)
    }

    /// Returns the session's own token; the default implementation has no token for a resource.
    /// - Throws: ``SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)`` for a resource, otherwise as
    ///   ``IdentityProvider/accessToken(for:scopes:)``.
    nonisolated(nonsending) public func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, replacing rejectedToken: String?
    ) async throws -> String {
        if let resource {
            throw SessionError.resourceNotGranted(
                accountID, resource: resource, reason: "This provider has one token, which is not for it.",
                nextAttempt: nil)
        }
        guard let rejectedToken else { return try await accessToken(for: accountID, scopes: scopes) }
        return try await accessToken(for: accountID, scopes: scopes, replacing: rejectedToken)
    }

    /// Whether nothing is missing in the configuration.
    package var isConfigured: Bool { missingConfiguration == nil }

    /// Calls ``silentAccount(in:)``.
    /// - Throws: what ``silentAccount(in:)`` throws.
    public func silentAccount(_ account: AccountID, in context: CallerContext) async throws -> AccountLookup {
        try await silentAccount(in: context)
    }

    /// The signed-in account. The user signs in when there is none, or when its session is suspended.
    /// - Throws: what the silent lookup or the sign-in throws.
    public func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        let context = CallerContext(scopes: scopes, deviceToken: deviceToken)
        let lookup = try await silentAccount(in: context)
        if case .suspended(let account, _) = lookup { return try await signIn(in: context) ?? account }
        if let account = lookup.account { return account }
        return try await signIn(in: context)
    }

    /// Calls ``silentAccount(in:)``, or ``silentAccount(_:in:)`` for a given account.
    /// - Throws: as these methods.
    public func silentAccount(
        _ account: AccountID? = nil, scopes: Set<String>, deviceToken: String
    ) async throws -> AccountLookup {
        let context = CallerContext(scopes: scopes, deviceToken: deviceToken)
        guard let account else { return try await silentAccount(in: context) }
        return try await silentAccount(account, in: context)
    }

    /// Calls ``signIn(in:options:)`` with a context made of `scopes` and `deviceToken`.
    /// - Throws: as ``signIn(in:options:)``.
    public func signIn(
        scopes: Set<String>, deviceToken: String, options: SignInWishes = .init()
    ) async throws -> AccountID? {
        try await signIn(in: CallerContext(scopes: scopes, deviceToken: deviceToken), options: options)
    }
}
