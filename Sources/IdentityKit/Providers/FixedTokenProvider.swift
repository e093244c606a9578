import Foundation

/// A provider with a fixed token, which it cannot refresh. Asking it for a token sends no request.
package protocol FixedTokenProvider: SessionProvider {
    /// Advice to show when a server refuses the token.
    var refusalHint: String { get }
}

extension FixedTokenProvider {
    /// Checks that the account has a token. Nothing is requested, because the scopes of a fixed token cannot change.
    /// - Throws: `FixedTokenError`, `MalformedTokenError`.
    package func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await accessToken(for: accountID, scopes: scopes)
        return nil
    }

    /// The token, unless `freshness` demands another one. The expiry of the token is unknown, so the token counts as
    /// valid for as long as `freshness` demands.
    /// - Throws: `FixedTokenError.rejected(provider:hint:)` if another token is needed,
    ///   ``/IdentityCore/SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)`` for a resource, otherwise as
    ///   ``/IdentityCore/IdentityProvider/accessToken(for:scopes:)``.
    nonisolated(nonsending) package func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, freshness: TokenFreshness
    ) async throws -> String {
        try await currentToken(
            for: accountID, scopes: scopes, resource: resource, freshness: freshness,
            or: FixedTokenError.rejected(provider: accountID.realm, hint: refusalHint))
    }
}

/// A provider of a single account, which needs no sign-in. A sign-out is not stored: it applies only to this provider
/// object, and the next sign-in undoes it.
package protocol FixedAccountProvider: SessionProvider {
    var account: AccountID { get }
    var isSignedIn: Locked<Bool> { get }
}

extension FixedAccountProvider {
    package var realms: Set<String> { [account.realm] }

    /// The account, unless it was signed out or its token is missing.
    /// - Throws: nothing.
    package func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        if let gap = missingConfiguration { return .absent(.notConfigured(gap)) }
        return isSignedIn.withLock { $0 } ? .found(account) : .absent(.signedOut)
    }

    /// Undoes a sign-out, and shows nothing.
    /// - Returns: the account; `nil` when its token is missing.
    /// - Throws: nothing.
    package func signIn(in context: CallerContext) async throws -> AccountID? {
        guard isConfigured else { return nil }
        isSignedIn.withLock { $0 = true }
        return account
    }

    /// Signs the account out until the next sign-in. Does nothing for another account.
    /// - Throws: nothing.
    package func signOut(_ accountID: AccountID) async throws {
        if accountID == account { isSignedIn.withLock { $0 = false } }
    }

    package func checkSignedIn(_ accountID: AccountID) throws(FixedTokenError) {
        guard accountID == account, isSignedIn.withLock({ $0 }) else { throw .notSignedIn(accountID) }
    }
}
