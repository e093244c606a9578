#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import IdentityTesting
import TestSupport

/// A session of one account that is shared through a database, at a backend that rotates refresh tokens.
struct PostgresFleetSession {
    let clock = ManualClock()
    let account = AccountID(account: "ada", realm: "work")
    let store: PostgresTokenStore
    let sealed: SealedTokenStore
    let database: String
    let server: PostgresServer
    private let options: PostgresTokenStore.Options
    private let revoke: SessionBackend.Revoke?
    private let folder: TemporaryFolder
    private let refusal = Locked<String?>(nil)
    private let sent = Locked<[Secret?]>([])

    /// - Parameters:
    ///   - server: the server; by default the one that tests share.
    ///   - options: how every machine uses it.
    ///   - revoke: tells the backend that a session is over; `nil` where it takes no revocation.
    init(
        on server: PostgresServer? = nil, options: PostgresTokenStore.Options = .lasting,
        revoke: SessionBackend.Revoke? = nil
    ) async throws {
        self.revoke = revoke
        self.server = try server ?? .shared()
        self.options = options
        (store, database) = try await self.server.store(options: options)
        folder = try TemporaryFolder()
        sealed = SealedTokenStore(store, storeID: "fleet", key: KeyFile(path: folder.file("key").path))
    }

    /// What another machine has, with connections of its own.
    /// - Parameter options: how that machine uses the server; by default as all others.
    func sessionsElsewhere(options: PostgresTokenStore.Options? = nil) throws -> ProviderSessions {
        sessions(of: try server.open(database, options: options ?? self.options))
    }

    /// What the machine with this store has.
    func sessions(of store: PostgresTokenStore) -> ProviderSessions {
        sessions(over: SealedTokenStore(store, storeID: "fleet", key: KeyFile(path: folder.file("key").path)))
    }

    /// What one machine has.
    func sessions(over store: SealedTokenStore? = nil) -> ProviderSessions {
        var backend = SessionBackend(origin: .anyone(at: "https://id.example.com"), revoke: revoke) {
            [sent, refusal, clock] former, context in
            let key = context.wish?.key
            return try await context.spend {
                if let reason = refusal.withLock({ $0 }) { return .refused(reason: reason) }
                let number = sent.withLock {
                    $0.append(former.refreshToken)
                    return $0.count
                }
                let response = Self.credential(number, at: clock.now, signedInAt: former.signedInAt)
                return .refreshed(key.map { former.adding(response, for: $0) } ?? response)
            }
        }
        backend.tokensByResource = .rfc8707
        let environment = IdentityEnvironment(store: store ?? sealed, time: clock.dates)
        return ProviderSessions(backend, in: ProviderContext(name: account.realm, environment: environment))
    }

    func begin(on sessions: ProviderSessions) async throws {
        try await sessions.begin(Self.credential(0, at: clock.now, signedInAt: clock.now), for: account)
    }

    func expire() { clock.advance(by: .seconds(3600)) }

    /// The backend refuses from now on.
    func refuse(_ reason: String) { refusal.withLock { $0 = reason } }

    /// The statements so far, but for those that extend a lease or check the tables' version, whose number depends on the
    /// time.
    var statements: [String: Int] { store.sentStatements.filter { !["extend", "version"].contains($0.key) } }

    /// The statements since `former`.
    func statements(since former: [String: Int]) -> [String: Int] {
        statements.merging(former) { $0 - $1 }.filter { $0.value != 0 }
    }

    var requestCount: Int { sentTokens.count }

    /// The refresh tokens that the backend has received, oldest first.
    var sentTokens: [Secret?] { sent.withLock { $0 } }

    private static func credential(_ number: Int, at now: Date, signedInAt: Date) -> Credential {
        Credential(
            accessToken: Secret("access-\(number)"), refreshToken: Secret("refresh-\(number)"), issuedAt: now,
            expiresAt: now + 3600, signedInAt: signedInAt, backend: "https://id.example.com")
    }
}

extension Credential {
    /// This session with the refresh token of `response`, and its access token as the one for a resource.
    fileprivate func adding(_ response: Credential, for key: TokenKey) -> Credential {
        var next = self
        next.refreshToken = response.refreshToken
        next.file(
            ResourceToken(
                key: key, accessToken: Secret("\(key.resource) \(response.accessToken.reveal())"),
                audience: [key.resource], issuedAt: response.issuedAt, expiresAt: response.expiresAt))
        return next
    }
}
#endif
