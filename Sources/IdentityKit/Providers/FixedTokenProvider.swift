import Foundation

/// A provider with a fixed token, which it cannot refresh.
protocol FixedTokenProvider: SessionProvider {
    /// Advice to show when a server refuses the token.
    var refusalHint: String { get }
}

extension FixedTokenProvider {
    /// Checks that there is a token, which is all that is needed.
    /// - Throws: `FixedTokenError`, ``/IdentityCore/MalformedTokenError``.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await accessToken(for: accountID, scopes: scopes)
        return nil
    }

    /// The token, unless it is the refused one.
    /// - Throws: `FixedTokenError`, ``/IdentityCore/MalformedTokenError``.
    public func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String {
        let token = try await accessToken(for: accountID, scopes: scopes)
        guard token != rejectedToken else {
            throw FixedTokenError.rejected(provider: accountID.realm, hint: refusalHint)
        }
        return token
    }
}

/// A provider of one account to which nobody signs in. A sign-out lasts as long as the provider object.
package protocol FixedAccountProvider: SessionProvider {
    var account: AccountID { get }
    var isSignedIn: Locked<Bool> { get }
}

extension FixedAccountProvider {
    public var realms: Set<String> { [account.realm] }

    /// The account, unless it was signed out or its token is missing.
    /// - Throws: nothing.
    public func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        if let gap = missingConfiguration { return .absent(.notConfigured(gap)) }
        return isSignedIn.withLock { $0 } ? .found(account) : .absent(.signedOut)
    }

    /// Signs the account in again, without showing anything.
    /// - Throws: nothing.
    public func signIn(in context: CallerContext) async throws -> AccountID? {
        guard isConfigured else { return nil }
        isSignedIn.withLock { $0 = true }
        return account
    }

    /// Signs the account out until the next sign-in.
    /// - Throws: nothing.
    public func signOut(_ accountID: AccountID) async throws {
        if accountID == account { isSignedIn.withLock { $0 = false } }
    }

    package func checkSignedIn(_ accountID: AccountID) throws(FixedTokenError) {
        guard accountID == account, isSignedIn.withLock({ $0 }) else { throw .notSignedIn(accountID) }
    }
}
