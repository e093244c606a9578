/// A provider that can look up an account without showing anything, replace a refused token and sign out.
///
/// For an account provider, ``IdentityProvider/mayShowSignIn`` describes only ``signIn(in:)``, because the silent
/// methods never show anything.
///
/// A chain is an account provider itself. The providers in a chain need not be account providers: the three methods of
/// ``IdentityProvider`` are enough. IdentityKit's `SessionProvider` is an account provider that also puts its tokens
/// into requests.
public protocol AccountProvider: IdentityProvider {
    /// The realms of this provider's accounts. A chain sends a call for an account to the provider with the account's
    /// realm.
    var realms: Set<String> { get }

    /// A clause about the setting or environment variable that this provider lacks, such as "API_TOKEN is not set";
    /// `nil`, the default, when nothing is missing. A chain skips a provider with missing configuration. Do not read
    /// files or use the network here.
    var missingConfiguration: String? { get }

    /// Looks up a signed-in account without showing anything.
    /// - Throws: when it is unknown whether an account is signed in, for example because the store is locked.
    func silentAccount(in context: CallerContext) async throws -> AccountLookup

    /// Looks up one account, which was chosen before, without showing anything. The default implementation calls
    /// ``silentAccount(in:)``, which may find another account.
    /// - Throws: when it is unknown whether the account is signed in.
    func silentAccount(_ account: AccountID, in context: CallerContext) async throws -> AccountLookup

    /// Lets the user sign in, even when an account is signed in already.
    /// - Returns: the account that signed in, or `nil` when this provider cannot show a sign-in here.
    /// - Throws: when the sign-in fails, or the user does not complete it.
    func signIn(in context: CallerContext) async throws -> AccountID?

    /// The way in which this provider shows a sign-in; `nil`, the default, when it is unknown.
    var signInForm: SignInForm? { get }

    /// Lets the user sign in as ``signIn(in:)`` does, with options for this sign-in.
    /// - Throws: as ``signIn(in:)``, and an error with the code `sign_in_options_unusable` before anything is shown
    ///   when the sign-in cannot use the options.
    func signIn(in context: CallerContext, options: SignInWishes) async throws -> AccountID?

    /// Returns a token that is as fresh as `freshness` requires, for one resource or for the session. The default
    /// implementation is for a provider that has one token, which it cannot refresh.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - scopes: the OAuth scopes the token must carry.
    ///   - resource: the identifier of the resource (RFC 8707 section 2); `nil` for the session's own token.
    ///   - freshness: how fresh the token must be, for example not the token that a server has just refused.
    /// - Throws: ``SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)`` when there is no token for the
    ///   resource, otherwise as ``IdentityProvider/accessToken(for:scopes:)``, and when the session cannot be refreshed.
    nonisolated(nonsending) func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, freshness: TokenFreshness
    ) async throws -> String

    /// Ends the session, first in the store and then at the backend, if the backend supports that.
    /// - Throws: when the session in the store could not be ended. A backend that cannot be reached is not an error.
    func signOut(_ accountID: AccountID) async throws
}

extension AccountProvider {
    public var missingConfiguration: String? { nil }

    public var signInForm: SignInForm? { nil }

    /// Calls ``signIn(in:)`` when `options` is empty, and otherwise throws.
    /// - Throws: as ``signIn(in:)``, and an error with the code `sign_in_options_unusable` for any option.
    public func signIn(in context: CallerContext, options: SignInWishes) async throws -> AccountID? {
        guard options.isEmpty else { throw SignInOptionsError() }
        return try await signIn(in: context)
    }

    /// Returns the current token, also for ``TokenFreshness/lasting(_:)``, because the expiry of the token is not known here.
    /// - Throws: ``SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)`` for a resource,
    ///   ``SessionError/cannotRefresh(_:)`` for ``TokenFreshness/new`` and when the current token is the refused one,
    ///   otherwise as ``IdentityProvider/accessToken(for:scopes:)``.
    nonisolated(nonsending) public func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, freshness: TokenFreshness
    ) async throws -> String {
        try await currentToken(
            for: accountID, scopes: scopes, resource: resource, freshness: freshness,
            or: SessionError.cannotRefresh(accountID))
    }

    /// Returns the current token, for a provider that cannot refresh it.
    /// - Throws: ``SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)`` for a resource, `refusal` when
    ///   another token than the current one is needed, otherwise as ``IdentityProvider/accessToken(for:scopes:)``.
    nonisolated(nonsending) package func currentToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, freshness: TokenFreshness,
        or refusal: any Error
    ) async throws -> String {
        try checkServes(resource, for: accountID)
        let token = try await accessToken(for: accountID, scopes: scopes)
        guard freshness != .new, freshness.rejected != token else { throw refusal }
        return token
    }

    /// Checks that `resource` is `nil`, for a provider whose token is for no resource in particular.
    /// - Throws: ``SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)``.
    package func checkServes(_ resource: String?, for accountID: AccountID) throws {
        guard let resource else { return }
        throw SessionError.resourceNotGranted(
            accountID, resource: resource, reason: "This provider has one token, which is not for it.",
            nextAttempt: nil)
    }

    package var isConfigured: Bool { missingConfiguration == nil }

    /// Calls ``silentAccount(in:)``, which may find an account other than `account`.
    /// - Throws: what ``silentAccount(in:)`` throws.
    public func silentAccount(_ account: AccountID, in context: CallerContext) async throws -> AccountLookup {
        try await silentAccount(in: context)
    }

    /// Returns the account that ``silentAccount(in:)`` finds. If it finds none, or a suspended session, lets the user
    /// sign in. If no sign-in can be shown, returns the suspended account, or `nil` when there is none.
    /// - Throws: what ``silentAccount(in:)`` and ``signIn(in:)`` throw.
    public func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        let context = CallerContext(scopes: scopes, deviceToken: deviceToken)
        let lookup = try await silentAccount(in: context)
        if case .suspended(let account, _) = lookup { return try await signIn(in: context) ?? account }
        if let account = lookup.account { return account }
        return try await signIn(in: context)
    }

    /// Looks up `account`, or any account if it is `nil`, with a context made of `scopes` and `deviceToken`.
    /// - Throws: as ``silentAccount(in:)``.
    package func silentAccount(
        _ account: AccountID? = nil, scopes: Set<String>, deviceToken: String
    ) async throws -> AccountLookup {
        let context = CallerContext(scopes: scopes, deviceToken: deviceToken)
        guard let account else { return try await silentAccount(in: context) }
        return try await silentAccount(account, in: context)
    }

    /// - Throws: as ``signIn(in:options:)``.
    package func signIn(
        scopes: Set<String>, deviceToken: String, options: SignInWishes = .init()
    ) async throws -> AccountID? {
        try await signIn(in: CallerContext(scopes: scopes, deviceToken: deviceToken), options: options)
    }
}
