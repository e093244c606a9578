import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A provider whose person does whatever a resource asks for.
struct HelpfulProvider: SessionBackedProvider {
    let sessions: ProviderSessions
    /// How often the person was asked.
    let asked = Locked(0)
    /// What the person does then.
    var act: @Sendable () async throws -> Void = {}

    func signIn(in context: CallerContext) async throws -> AccountID? { nil }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, in context: CallerContext
    ) async throws -> Bool {
        asked.withLock { $0 += 1 }
        try await act()
        return true
    }

    func signOut(_ accountID: AccountID) async throws { try await sessions.end(accountID) }
}
