import Foundation

extension SessionProvider {
    /// This provider, with some errors of looking up and signing in treated as "no account".
    ///
    /// A chain stops at an error, because a wrong account is worse than none. Use this where an error means that the provider
    /// does not apply, so that the chain tries the next one. Errors of getting a token stay errors.
    /// - Parameter isUnavailable: whether an error means that the provider does not apply.
    public func treatingAsUnavailable(
        _ isUnavailable: @escaping @Sendable (any Error) -> Bool
    ) -> some SessionProvider {
        LenientProvider(base: self, isUnavailable: isUnavailable)
    }
}

extension IdentityProvider {
    /// This provider, with some errors of looking up and signing in treated as "no account". A ``SessionProvider`` stays one.
    /// - Parameter isUnavailable: whether an error means that the provider does not apply.
    public func treatingAsUnavailable(
        _ isUnavailable: @escaping @Sendable (any Error) -> Bool
    ) -> any IdentityProvider {
        guard let managed = self as? any SessionProvider else {
            return LenientPlainProvider(base: self, isUnavailable: isUnavailable)
        }
        return managed.treatingAsUnavailable(isUnavailable)
    }
}

/// A provider of three methods with some errors treated as "no account".
private struct LenientPlainProvider<Base: IdentityProvider>: ReasoningProvider {
    let base: Base
    let isUnavailable: @Sendable (any Error) -> Bool

    var mayShowSignIn: Bool { base.mayShowSignIn }

    func lookUp(_ silent: SilentLookup) async throws -> AccountLookup {
        do {
            return try await base.plainLookUp(silent)
        } catch  where isUnavailable(error) {
            return .none(.unavailable(error.scrubbedMessage))
        }
    }

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        let context = RequestContext(scopes: scopes, deviceToken: deviceToken)
        return try await lookUp(SilentLookup(context: context)).account
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await base.requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        try await base.accessToken(for: accountID, scopes: scopes)
    }
}

/// A provider with some errors treated as "no account".
private struct LenientProvider<Base: SessionProvider>: SessionProvider {
    let base: Base
    let isUnavailable: @Sendable (any Error) -> Bool

    var realms: Set<String> { base.realms }
    var missingConfiguration: String? { base.missingConfiguration }
    var mayShowSignIn: Bool { base.mayShowSignIn }

    func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup {
        try await lookUp { try await base.silentAccount(scopes: scopes, deviceToken: deviceToken) }
    }

    func silentAccount(
        _ account: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> AccountLookup {
        try await lookUp { try await base.silentAccount(account, scopes: scopes, deviceToken: deviceToken) }
    }

    func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        do {
            return try await base.signIn(scopes: scopes, deviceToken: deviceToken)
        } catch  where isUnavailable(error) {
            return nil
        }
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await base.requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        try await base.accessToken(for: accountID, scopes: scopes)
    }

    func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String {
        try await base.accessToken(for: accountID, scopes: scopes, replacing: rejectedToken)
    }

    func accessToken(
        for accountID: AccountID, scopes: Set<String>, freshness: TokenFreshness
    ) async throws -> String {
        try await base.accessToken(for: accountID, scopes: scopes, freshness: freshness)
    }

    func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest {
        try await base.authorize(request, for: accountID, scopes: scopes)
    }

    func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest? {
        try await base.reauthorize(request, after: response, for: accountID, scopes: scopes)
    }

    func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, deviceToken: String
    ) async throws -> Bool {
        try await base.requestAuthorization(for: accountID, askedBy: response, deviceToken: deviceToken)
    }

    func signOut(_ accountID: AccountID) async throws {
        try await base.signOut(accountID)
    }

    private func lookUp(_ look: () async throws -> AccountLookup) async throws -> AccountLookup {
        do {
            return try await look()
        } catch  where isUnavailable(error) {
            return .none(.unavailable(error.scrubbedMessage))
        }
    }
}

extension LenientProvider: SigningInAgain where Base: SigningInAgain {
    func signInInPlace(of account: AccountID, _ context: RequestContext) async throws -> AccountID? {
        do {
            return try await base.signInInPlace(of: account, context)
        } catch  where isUnavailable(error) {
            return nil
        }
    }
}

extension LenientProvider: SessionBackedProvider where Base: SessionBackedProvider {
    var sessions: ProviderSessions { base.sessions }
}
