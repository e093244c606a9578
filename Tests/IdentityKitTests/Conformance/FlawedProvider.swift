import Foundation
import IdentityKit
import IdentityTesting

/// A good provider that breaks one rule of the contract, deliberately.
final class FlawedProvider: SessionProvider {
    /// Where a secret shows.
    enum Leak: CaseIterable {
        case passwordInText, tokenInText, tokenInProperty, tokenInLog
    }

    private let flaw: ProviderRule
    private let leak: Leak
    private let base: any SessionProvider
    private let subject: ProviderUnderTest
    private let screen: InteractionCounter
    private let remembered = Locked<String?>(nil)
    private let calls = Locked(0)
    private let shared = Locked<Task<String, any Error>?>(nil)
    private let logged = Locked("")

    init?(
        _ flaw: ProviderRule, _ subject: ProviderUnderTest, screen: InteractionCounter, leak: Leak = .passwordInText
    ) {
        guard let base = subject.provider as? any SessionProvider else { return nil }
        self.flaw = flaw
        self.leak = leak
        self.base = base
        self.subject = subject
        self.screen = screen
    }

    /// An error that nobody classified.
    struct Nameless: Error {}

    /// An error whose text is harmless, and whose content is not.
    struct Carrier: IdentityFailure {
        let failureCode = "refused"
        let failureClass = FailureClass.definitive
        let message = "It was refused."
        let token: String
    }

    /// What it wrote to its log.
    var log: String { logged.withLock { $0 } }

    var realms: Set<String> { flaw == .accountsAreItsOwn ? ["another"] : base.realms }

    func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup {
        if flaw == .silenceShowsNothing {
            _ = try? await screen.counting(ScriptedPrompter([:])).answer(SignInPrompt(provider: "x", fields: []))
        }
        let lookup = try await base.silentAccount(scopes: scopes, deviceToken: deviceToken)
        if flaw == .absenceIsNoError, lookup.account == nil { throw TestFailure() }
        if flaw == .signInIsFound { return .none(.neverSignedIn) }
        if flaw == .revocationIsDefinitive, lookup.account == nil { return .found(.ada("acme")) }
        return lookup
    }

    func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        do {
            return try await base.signIn(scopes: scopes, deviceToken: deviceToken)
        } catch is CancellationError where flaw == .givingUpThrows {
            return nil
        }
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await base.requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        switch flaw {
        case .validTokenIsKept:
            let current = try await base.accessToken(for: accountID, scopes: scopes)
            return try await base.accessToken(for: accountID, scopes: scopes, replacing: current)
        case .expiredTokenIsRefreshed:
            if let token = remembered.withLock({ $0 }) { return token }
            let token = try await base.accessToken(for: accountID, scopes: scopes)
            remembered.withLock { $0 = token }
            return token
        case .refreshesOnce:
            let token = try await base.accessToken(for: accountID, scopes: scopes)
            let isFirst = remembered.withLock { remembered in
                defer { remembered = remembered ?? token }
                return remembered == nil || remembered == token
            }
            return isFirst ? token : try await base.accessToken(for: accountID, scopes: scopes, replacing: token)
        case .strangersAreRefused:
            return (try? await base.accessToken(for: accountID, scopes: scopes)) ?? "somebody's token"
        case .missingScopeIsRefused:
            return try await base.accessToken(for: accountID, scopes: [])
        case .anyThread:
            defer { calls.withLock { $0 -= 1 } }
            guard
                calls.withLock({ calls in
                    calls += 1
                    return calls == 1
                })
            else { throw TestFailure(message: "One at a time.") }
            for _ in 0..<50 { await Task.yield() }
            return try await base.accessToken(for: accountID, scopes: scopes)
        case .cancelledCallerLeavesAlone:
            return try await sharedToken(accountID)
        default:
            let token = try await translating(accountID) {
                try await self.base.accessToken(for: accountID, scopes: scopes)
            }
            remembered.withLock { $0 = token }
            if leak == .tokenInLog { logged.withLock { $0 += "handed out \(token)\n" } }
            return token
        }
    }

    func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String {
        if flaw == .refusedTokenIsReplaced { return rejectedToken }
        return try await translating(accountID) {
            try await self.base.accessToken(for: accountID, scopes: scopes, replacing: rejectedToken)
        }
    }

    func signOut(_ accountID: AccountID) async throws {
        if flaw == .signOutEnds { return }
        if flaw == .signOutWorksOffline {
            // Asks the backend first, and gives up when there is none.
            let token = try await base.accessToken(for: accountID, scopes: [])
            _ = try await base.accessToken(for: accountID, scopes: [], replacing: token)
        }
        try await base.signOut(accountID)
    }

    /// One task for all, which the first caller who leaves takes along.
    private func sharedToken(_ account: AccountID) async throws -> String {
        let task = shared.withLock { shared in
            let task = shared ?? Task { try await base.accessToken(for: account, scopes: []) }
            shared = task
            return task
        }
        defer { shared.withLock { $0 = nil } }
        return try await withTaskCancellationHandler {
            for _ in 0..<50 { await Task.yield() }
            try task.isCancelled ? { throw CancellationError() }() : ()
            return try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func translating(
        _ account: AccountID, _ body: () async throws -> String
    ) async throws -> String {
        do {
            return try await body()
        } catch {
            switch flaw {
            case .offlineKeepsTheAccount where error.identityFailureClass == .transient:
                try? await base.signOut(account)
                throw TestFailure()
            case .errorsAreClassified: throw Nameless()
            case .noSecretShows: throw leaking(error)
            default: throw error
            }
        }
    }

    private func leaking(_ error: any Error) -> any Error {
        let token = remembered.withLock { $0 } ?? ""
        switch leak {
        case .passwordInText: return TestFailure(message: "The server refused acme-password.")
        case .tokenInText: return TestFailure(message: "The server refused \(token).")
        case .tokenInProperty: return Carrier(token: token)
        case .tokenInLog: return error
        }
    }
}
