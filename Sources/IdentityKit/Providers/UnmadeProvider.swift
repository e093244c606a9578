import Foundation

/// Takes the place of a provider that cannot be made because its settings refer to a variable that is not set.
///
/// Every call to this provider throws `error`. A chain that skipped the provider could return a wrong account, which is
/// worse than none. The other providers still work, for example when the chosen account belongs to one of them.
package struct UnmadeProvider: SessionProvider {
    package let realms: Set<String>
    package let error: ConfigurationError

    package func silentAccount(in context: CallerContext) async throws -> AccountLookup { throw error }

    package func signIn(in context: CallerContext) async throws -> AccountID? { throw error }

    package func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { throw error }

    package func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String { throw error }

    package func signOut(_ accountID: AccountID) async throws { throw error }
}
