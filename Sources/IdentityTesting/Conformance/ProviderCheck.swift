import IdentityKit

struct ProviderCheck: Sendable {
    static let device = "conformance-device"

    let subject: ProviderUnderTest
    /// The tokens that the provider has returned during the check. Errors and logs must not contain them.
    let tokens = Locked<Set<String>>([])

    func run(_ rule: ProviderRule) async throws {
        switch rule {
        case .absenceIsNoError: try await absenceIsNoError()
        case .silenceShowsNothing: try await silenceShowsNothing()
        case .signInIsFound: try await signInIsFound()
        case .sessionOutlivesRestart: try await sessionOutlivesRestart()
        case .accountsAreItsOwn: try await accountsAreItsOwn()
        case .realmsAreConfigured: try await realmsAreConfigured()
        case .plainHTTPIsRefused: try await plainHTTPIsRefused()
        case .givingUpThrows: try await givingUpThrows()
        case .validTokenIsKept: try await validTokenIsKept()
        case .tokensFitAHeader: try await tokensFitAHeader()
        case .expiredTokenIsRefreshed: try await expiredTokenIsRefreshed()
        case .refreshesOnce: try await refreshesOnce()
        case .rotationIsFollowed: try await rotationIsFollowed()
        case .clockIsTheGivenOne: try await clockIsTheGivenOne()
        case .refusedTokenIsReplaced: try await refusedTokenIsReplaced()
        case .strangersAreRefused: try await strangersAreRefused()
        case .missingScopeIsRefused: try await missingScopeIsRefused()
        case .anyThread: try await anyThread()
        case .cancelledCallerLeavesAlone: try await cancelledCallerLeavesAlone()
        case .offlineKeepsTheAccount: try await offlineKeepsTheAccount()
        case .revocationIsDefinitive: try await revocationIsDefinitive()
        case .signOutEnds: try await signOutEnds()
        case .signOutWorksOffline: try await signOutWorksOffline()
        case .errorsAreClassified: try await errorsAreClassified()
        case .noSecretShows: try await noSecretShows()
        }
    }

    var managed: any AccountProvider {
        get throws {
            guard let managed = subject.provider as? any AccountProvider else {
                throw MissingMeansError(detail: "the provider has only the three methods of IdentityProvider")
            }
            return managed
        }
    }

    /// Unwraps a property of the provider under test that a check needs.
    /// - Parameters:
    ///   - means: the value of the property.
    ///   - name: the name of the property in ``ProviderUnderTest``.
    ///   - ability: the ability that the test may declare as missing instead of setting the property; `nil` for none.
    /// - Throws: ``MissingMeansError`` when the property is not set.
    func means<Means>(
        _ means: Means?, _ name: String, _ ability: ProviderAbility? = nil
    ) throws(MissingMeansError) -> Means {
        guard let means else {
            let excuse = ability.map { ", or say in ProviderUnderTest.lacks[.\($0)] why it does not apply" } ?? ""
            throw MissingMeansError(detail: "ProviderUnderTest.\(name) is not set. Set it\(excuse)")
        }
        return means
    }

    /// Returns the function that tells how often something was shown. If the test sets none because the provider has no
    /// sign-in, returns a function whose result is zero.
    func interactions() throws -> @Sendable () async -> Int {
        if subject.lacks[.signIn] != nil, subject.interactions == nil { return { 0 } }
        return try means(subject.interactions, "interactions", .signIn)
    }

    /// Returns the provider's transport; `nil` if the provider has no server and the test sets no transport.
    func wire() throws(MissingMeansError) -> WatchedTransport? {
        guard subject.lacks[.server] == nil else { return subject.wire }
        return try means(subject.wire, "wire", .server)
    }

    /// Returns the function that lets the token expire; `nil` when the provider cannot replace a token.
    func expiry() throws -> (@Sendable () async throws -> Void)? {
        guard subject.lacks[.refresh] == nil else { return nil }
        return try means(subject.expire, "expire", .refresh)
    }

    /// Returns the number of refreshes so far; zero if the provider cannot refresh and the test does not set
    /// ``ProviderUnderTest/refreshes``.
    func refreshes() async throws -> Int {
        guard subject.lacks[.refresh] == nil else { return await subject.refreshes?() ?? 0 }
        return try await means(subject.refreshes, "refreshes", .refresh)()
    }

    /// Looks up the signed-in account without showing anything.
    /// - Throws: ``MissingMeansError`` when a look-up could show a sign-in, or the error of the provider.
    func silentAccount() async throws -> AccountID? {
        if let managed = try? managed {
            return try await managed.silentAccount(scopes: [], deviceToken: Self.device).account
        }
        guard subject.looksSilently else {
            throw MissingMeansError(detail: "looking up the account may show a sign-in")
        }
        return try await subject.provider.activeAccount(scopes: [], deviceToken: Self.device)
    }

    /// Looks up `account` without showing anything. A provider with only the three methods of `IdentityProvider` looks up
    /// whichever account is signed in.
    func silentAccount(_ account: AccountID) async throws -> AccountID? {
        guard let managed = try? managed else { return try await silentAccount() }
        return try await managed.silentAccount(account, scopes: [], deviceToken: Self.device).account
    }

    /// Checks the signed-in account with `isRight`, if the provider can look the account up without showing a sign-in.
    func expectSilently(_ isRight: (AccountID?) -> Bool, _ detail: (AccountID?) -> String) async throws {
        guard subject.looksSilently else { return }
        let found = try await silentAccount()
        try expect(isRight(found), detail(found))
    }

    func token(_ account: AccountID, scopes: Set<String> = []) async throws -> String {
        let token = try await subject.provider.accessToken(for: account, scopes: scopes)
        tokens.withLock { _ = $0.insert(token) }
        return token
    }

    /// Returns a token of `account` in the place of `refused`, as after a 401 of a resource server.
    func token(_ account: AccountID, replacing refused: String) async throws -> String {
        try await managed.accessToken(for: account, scopes: [], resource: nil, freshness: .other(than: refused))
    }

    /// Returns an account that never signed in, in a realm of the provider.
    /// - Parameter account: an account of the provider, whose realm is used; `nil` for the alphabetically first of the declared
    ///   realms.
    /// - Throws: ``MissingMeansError`` when `account` is `nil` and the provider is not an `AccountProvider`.
    func stranger(besides account: AccountID? = nil) throws -> AccountID {
        let realm = try account?.realm ?? managed.realms.min()
        return AccountID(account: "conformance-stranger", realm: realm ?? "")
    }

    func expect(_ isKept: Bool, _ detail: @autoclosure () -> String) throws {
        guard isKept else { throw BrokenRuleError(detail: detail()) }
    }

    func failure(_ what: String, _ body: () async throws -> Void) async throws -> any Error {
        do {
            try await body()
        } catch let error as MissingMeansError {
            throw error
        } catch {
            return error
        }
        throw BrokenRuleError(detail: "\(what) does not throw")
    }
}
