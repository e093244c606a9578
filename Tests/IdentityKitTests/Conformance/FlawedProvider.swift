import Foundation
import IdentityKit
import IdentityTesting

/// A good provider with one mistake, which breaks one rule of the contract and keeps all others.
final class FlawedProvider: SessionProvider {
    /// Where a secret shows.
    enum Leak: CaseIterable {
        case passwordInText, tokenInText, tokenInProperty, tokenInLog
    }

    /// The rules that it can break; ``MistakenPlugin`` breaks the others.
    static var rules: [ProviderRule] {
        let others = Set(MistakenPlugin.Mistake.allCases.map(\.rule))
        return ProviderRule.allCases.filter {
            [.errorsAreClassified, .noSecretShows].contains($0) || !others.contains($0)
        }
    }

    private let flaw: ProviderRule
    private let leak: Leak
    private let base: any SessionProvider
    private let screen: InteractionCounter
    /// The first token that was handed out.
    private let first = Locked<String?>(nil)
    /// The token that was handed out last.
    private let latest = Locked<String?>(nil)
    /// Whether the rule that it breaks is being checked. Then several callers come at once, and are waited for.
    private let isTried: Bool
    private let lookups = Locked((now: 0, all: 0))
    private let shared = Locked(Shared())
    private let logged = Locked("")

    init?(
        _ flaw: ProviderRule, _ base: any IdentityProvider, screen: InteractionCounter, leak: Leak = .passwordInText,
        isTried: Bool = false
    ) {
        guard let base = base as? any SessionProvider else { return nil }
        self.flaw = flaw
        self.leak = leak
        self.isTried = isTried
        self.base = base
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

    func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        let lookup = try await base.silentAccount(in: context)
        if lookup.account == nil, flaw == .silenceShowsNothing {
            // Asks for the password at once.
            _ = try? await screen.counting(ScriptedPrompter([:])).answer(SignInPrompt(provider: "x", fields: []))
        }
        if case .absent(.neverSignedIn) = lookup, flaw == .absenceIsNoError { throw TestError() }
        return lookup
    }

    func silentAccount(_ account: AccountID, in context: CallerContext) async throws -> AccountLookup {
        if flaw == .signInIsFound { return .absent(.neverSignedIn) }
        return try await base.silentAccount(account, in: context)
    }

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        let isAlone = lookups.withLock { lookups in
            lookups = (lookups.now + 1, lookups.all + 1)
            return lookups.now == 1
        }
        defer { lookups.withLock { $0.now -= 1 } }
        if flaw == .anyThread {
            guard isAlone else { throw TestError(message: "One at a time.") }
            while isTried, lookups.withLock({ $0.all }) < 2 { await Task.yield() }
        }
        let context = CallerContext(scopes: scopes, deviceToken: deviceToken)
        if let account = try await silentAccount(in: context).account { return account }
        return try await signIn(in: context)
    }

    func signIn(in context: CallerContext) async throws -> AccountID? {
        try await base.signIn(in: context)
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await base.requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        let token = try await translating(accountID) {
            try await flawedToken(for: accountID, scopes: flaw == .missingScopeIsRefused ? [] : scopes)
        }
        first.withLock { $0 = $0 ?? token }
        latest.withLock { $0 = token }
        if leak == .tokenInLog { logged.withLock { $0 += "handed out \(token)\n" } }
        return token
    }

    func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, freshness: TokenFreshness
    ) async throws -> String {
        if flaw == .refusedTokenIsReplaced, case .other(let rejectedToken) = freshness { return rejectedToken }
        return try await translating(accountID) {
            try await base.accessToken(for: accountID, scopes: scopes, resource: resource, freshness: freshness)
        }
    }

    func signOut(_ accountID: AccountID) async throws {
        if flaw == .signOutWorksOffline {
            // Tells the backend first, and gives up when there is none.
            do {
                let token = try await token(accountID)
                _ = try await otherToken(accountID, than: token)
            } catch  where error.identityFailureClass == .transient {
                throw error
            } catch {}
        }
        try await base.signOut(accountID)
    }

    // MARK: The mistakes

    private func token(_ account: AccountID, scopes: Set<String> = []) async throws -> String {
        try await base.accessToken(for: account, scopes: scopes)
    }

    private func otherToken(
        _ account: AccountID, scopes: Set<String> = [], than token: String
    ) async throws -> String {
        try await base.accessToken(for: account, scopes: scopes, resource: nil, freshness: .other(than: token))
    }

    private func flawedToken(for account: AccountID, scopes: Set<String>) async throws -> String {
        let (first, latest) = (first.withLock { $0 }, latest.withLock { $0 })
        switch flaw {
        case .validTokenIsKept:
            // The token of the sign-in is good for one call.
            let token = try await token(account, scopes: scopes)
            return token == first
                ? try await otherToken(account, scopes: scopes, than: token) : token
        case .expiredTokenIsRefreshed:
            // The one who asks first gets the token that is there, and those who come later the new one.
            let token = try await token(account, scopes: scopes)
            let isStale = self.latest.withLock { latest in
                defer { latest = token }
                return latest != nil && latest != token
            }
            return isStale ? latest ?? token : token
        case .refreshesOnce:
            // Everybody who finds the token expired refreshes it.
            let token = try await token(account, scopes: scopes)
            return !isTried || latest == nil || latest == token
                ? token : try await otherToken(account, scopes: scopes, than: token)
        case .strangersAreRefused:
            // Whoever is signed in is who was asked for.
            let active = try await base.silentAccount(account, scopes: [], deviceToken: "d").account
            let found = try await base.silentAccount(scopes: [], deviceToken: "d").account
            return try await token(active ?? found ?? account, scopes: scopes)
        case .cancelledCallerLeavesAlone:
            return try await sharedToken(account, scopes: scopes)
        default:
            return try await token(account, scopes: scopes)
        }
    }

    /// A refresh that callers share.
    private struct Shared {
        var task: Task<String, any Error>?
        var callers = 0
        /// Whether the next one refreshes.
        var isExpired = false
    }

    /// Takes note that the token has expired.
    func expire() { shared.withLock { $0.isExpired = true } }

    /// One task for all, which the first caller who leaves takes along.
    private func sharedToken(_ account: AccountID, scopes: Set<String>) async throws -> String {
        let task = shared.withLock { shared in
            if shared.task == nil {
                let isRefresh = isTried && shared.isExpired
                shared = Shared(
                    task: Task {
                        // Its end comes after all four callers of the check, and after one of them has left.
                        while isRefresh, !Task.isCancelled || self.shared.withLock({ $0.callers }) < 4 {
                            await Task.yield()
                        }
                        try Task.checkCancellation()
                        return try await token(account, scopes: scopes)
                    })
            }
            shared.callers += 1
            return shared.task
        }
        guard let task else { throw CancellationError() }
        defer { shared.withLock { $0.task = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func translating(_ account: AccountID, _ body: () async throws -> String) async throws -> String {
        do {
            return try await body()
        } catch SessionError.ended where flaw == .revocationIsDefinitive {
            throw TestError(failureClass: .transient, message: "The server is busy.")
        } catch let error as SessionError {
            switch (flaw, error, latest.withLock { $0 }) {
            case (.signOutEnds, .notSignedIn, let token?) where account.account == "ada":
                // Who has signed out is still served from memory.
                return token
            case (.errorsAreClassified, .notSignedIn, _): throw Nameless()
            case (.noSecretShows, .notSignedIn, let token): throw leaking(error, token ?? "")
            default: throw error
            }
        } catch
            where flaw == .offlineKeepsTheAccount && !(error is CancellationError)
            && error.identityFailureClass == .transient
        {
            try? await base.signOut(account)
            throw error
        }
    }

    private func leaking(_ error: any Error, _ token: String) -> any Error {
        switch leak {
        case .passwordInText: TestError(message: "The server refused acme-password.")
        case .tokenInText: TestError(message: "The server refused \(token).")
        case .tokenInProperty: Carrier(token: token)
        case .tokenInLog: error
        }
    }
}
