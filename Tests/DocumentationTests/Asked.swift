import Foundation
import IdentityKit

/// What was asked of the providers of a chain, in order.
final class Asked: Sendable {
    private let calls = Locked<[String]>([])

    /// `provider`, whose calls are written down under `name`.
    func noting(_ provider: any IdentityProvider, as name: String) -> any IdentityProvider {
        let note: @Sendable (String) -> Void = { call in self.calls.withLock { $0.append("\(name).\(call)") } }
        guard let managed = provider as? any SessionProvider else { return NotedProvider(base: provider, note: note) }
        return NotedSessions(base: managed, note: note)
    }

    /// What was asked since this was called last.
    func since() -> [String] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }
}

/// A provider of three methods, with its calls written down.
private struct NotedProvider: IdentityProvider {
    let base: any IdentityProvider
    let note: @Sendable (String) -> Void

    var mayShowSignIn: Bool { base.mayShowSignIn }

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        note("activeAccount")
        return try await base.activeAccount(scopes: scopes, deviceToken: deviceToken)
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        note("requestAuthorization")
        return try await base.requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        note("accessToken")
        return try await base.accessToken(for: accountID, scopes: scopes)
    }
}

/// A provider with sessions, with its calls written down.
private struct NotedSessions: SessionProvider {
    let base: any SessionProvider
    let note: @Sendable (String) -> Void

    var realms: Set<String> { base.realms }
    var missingConfiguration: String? { base.missingConfiguration }
    var mayShowSignIn: Bool { base.mayShowSignIn }

    func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        note("silentAccount")
        return try await base.silentAccount(in: context)
    }

    func silentAccount(_ account: AccountID, in context: CallerContext) async throws -> AccountLookup {
        note("silentAccount of \(account.account)")
        return try await base.silentAccount(account, in: context)
    }

    func signIn(in context: CallerContext) async throws -> AccountID? {
        note("signIn")
        return try await base.signIn(in: context)
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        note("requestAuthorization")
        return try await base.requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        note("accessToken")
        return try await base.accessToken(for: accountID, scopes: scopes)
    }

    func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, freshness: TokenFreshness
    ) async throws -> String {
        if case .other = freshness { note("accessToken in the place of a refused one") }
        return try await base.accessToken(for: accountID, scopes: scopes, resource: resource, freshness: freshness)
    }

    func signOut(_ accountID: AccountID) async throws {
        note("signOut")
        try await base.signOut(accountID)
    }
}
