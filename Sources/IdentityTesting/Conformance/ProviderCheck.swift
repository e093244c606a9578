import IdentityKit

/// One provider being checked: the subject, and short ways to ask it.
struct ProviderCheck: Sendable {
    static let device = "conformance-device"

    let subject: ProviderUnderTest
    /// The tokens that were handed out, which no error may show.
    let tokens = Locked<Set<String>>([])

    func run(_ rule: ProviderRule) async throws {
        switch rule {
        case .absenceIsAnAnswer: try await absenceIsAnAnswer()
        case .silenceShowsNothing: try await silenceShowsNothing()
        case .signInIsFound: try await signInIsFound()
        case .accountsAreItsOwn: try await accountsAreItsOwn()
        case .givingUpThrows: try await givingUpThrows()
        case .validTokenIsKept: try await validTokenIsKept()
        case .expiredTokenIsRefreshed: try await expiredTokenIsRefreshed()
        case .refreshesOnce: try await refreshesOnce()
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

    // MARK: What the subject can do

    /// The provider with all abilities.
    var managed: any SessionProvider {
        get throws {
            guard let managed = subject.provider as? any SessionProvider else {
                throw MissingMeansError("the provider has only the three methods of IdentityProvider")
            }
            return managed
        }
    }

    func means<Means>(_ means: Means?, _ name: String) throws -> Means {
        guard let means else { throw MissingMeansError("ProviderUnderTest.\(name) is not set") }
        return means
    }

    func requireRefresh() throws {
        guard subject.canRefresh else { throw MissingMeansError("its sessions cannot be refreshed") }
    }

    // MARK: Short ways to ask

    /// Who is signed in, without anything being shown.
    func silentAccount() async throws -> AccountID? {
        if let managed = try? managed {
            return try await managed.silentAccount(scopes: [], deviceToken: Self.device).account
        }
        guard !subject.provider.mayShowSignIn else {
            throw MissingMeansError(
                "the provider has only the three methods of IdentityProvider and may show a sign-in")
        }
        return try await subject.provider.activeAccount(scopes: [], deviceToken: Self.device)
    }

    /// Whether `account` is signed in, without anything being shown.
    func silentAccount(_ account: AccountID) async throws -> AccountID? {
        guard let managed = try? managed else { return try await silentAccount() }
        return try await managed.silentAccount(account, scopes: [], deviceToken: Self.device).account
    }

    /// Checks who is signed in, of a provider that can be asked without anything being shown.
    func expectSilently(_ isRight: (AccountID?) -> Bool, _ detail: (AccountID?) -> String) async throws {
        do {
            let found = try await silentAccount()
            try expect(isRight(found), detail(found))
        } catch is MissingMeansError {
            // The rest of the rule holds, and this part of it is not for such a provider.
        }
    }

    func token(_ account: AccountID, scopes: Set<String> = []) async throws -> String {
        let token = try await subject.provider.accessToken(for: account, scopes: scopes)
        tokens.withLock { _ = $0.insert(token) }
        return token
    }

    /// Nobody of the provider's.
    /// - Parameter account: one of the provider's accounts, for the realm of a provider that does not say it.
    func stranger(besides account: AccountID? = nil) throws -> AccountID {
        let realm = try account?.realm ?? managed.realms.min()
        return AccountID(account: "conformance-stranger", realm: realm ?? "")
    }

    // MARK: Verdicts

    func expect(_ isKept: Bool, _ detail: @autoclosure () -> String) throws {
        guard isKept else { throw BrokenRuleError(detail()) }
    }

    /// The error `body` throws.
    func failure(_ what: String, _ body: () async throws -> Void) async throws -> any Error {
        do {
            try await body()
        } catch let error as MissingMeansError {
            throw error
        } catch {
            return error
        }
        throw BrokenRuleError("\(what) does not throw")
    }
}
