import Foundation

/// The place of a provider that cannot be made, because its settings refer to a variable that is not set.
///
/// It stops whoever reaches it, because a wrong account is worse than none: only calls that name another provider, or are
/// for an account that was chosen before, go on without it.
struct UnmadeProvider: SessionProvider {
    let realms: Set<String>
    let error: ConfigurationError

    func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup { throw error }

    func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? { throw error }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { throw error }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String { throw error }

    func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String { throw error }

    func signOut(_ accountID: AccountID) async throws { throw error }
}
