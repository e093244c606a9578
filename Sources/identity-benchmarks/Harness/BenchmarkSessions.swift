import Foundation
import IdentityKit

/// Creates sessions for benchmarks without a backend. Unless `exchange` is given, a refresh throws `CancellationError`.
enum BenchmarkSessions {
    static let realm = "work"
    static let backend = "https://id.example.com"
    static let resource = "https://reports.example.com"

    static func make(
        over store: any TokenStore, realm: String = realm,
        exchange: @escaping SessionBackend.Exchange = { _ in throw CancellationError() }
    ) -> ProviderSessions {
        ProviderSessions(
            realm: realm, origin: .anyone(at: backend), store: store, time: .system, exchange: exchange)
    }
}

extension Credential {
    /// Creates a session whose access token was issued at `date` and is valid for `lifetime` seconds. The token has 900
    /// characters, which is typical of a JWT.
    static func sample(at date: Date = Date() - 60, lifetime: TimeInterval = 86_400) -> Credential {
        Credential(
            accessToken: Secret(String(repeating: "t", count: 900)), refreshToken: "refresh",
            issuedAt: date, expiresAt: date + lifetime, signedInAt: Date(), backend: BenchmarkSessions.backend)
    }

    /// Returns the session with a new access token that is valid for an hour.
    func refreshed(as token: Secret = "refreshed") -> Credential {
        var credential = self
        credential.accessToken = token
        (credential.issuedAt, credential.expiresAt) = (Date(), Date() + 3600)
        return credential
    }

    static func expired() -> Credential { sample(lifetime: 30) }
}

struct BenchmarkProvider: SessionBackedProvider {
    let sessions: ProviderSessions

    init(_ sessions: ProviderSessions) { self.sessions = sessions }

    func signIn(in context: CallerContext) async throws -> AccountID? { nil }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func signOut(_ accountID: AccountID) async throws { try await sessions.end(accountID) }
}

extension IdentityClient {
    /// Creates a client whose session has a second access token, for ``BenchmarkSessions/resource``.
    static func benchmarkOfResources(over store: any TokenStore) async throws -> IdentityClient {
        var backend = SessionBackend(
            origin: .anyone(at: BenchmarkSessions.backend), exchange: { _ in throw CancellationError() })
        backend.tokensByResource = .rfc8707
        let environment = IdentityEnvironment(store: store)
        let context = ProviderContext(name: BenchmarkSessions.realm, environment: environment)
        let sessions = ProviderSessions(backend, in: context)
        var credential = Credential.sample()
        credential.file(
            ResourceToken(
                key: TokenKey(resource: BenchmarkSessions.resource), accessToken: credential.accessToken,
                audience: [BenchmarkSessions.resource], issuedAt: credential.issuedAt, expiresAt: credential.expiresAt))
        try await sessions.begin(credential, for: FilledStore.account(0))
        return IdentityClient(provider: BenchmarkProvider(sessions), environment: environment)
    }

    /// Creates a client with a single provider, or with a chain of `links` providers. Only the last provider of the
    /// chain uses `store`, which has the session.
    static func benchmark(over store: any TokenStore, chain links: Int? = nil) throws -> IdentityClient {
        let environment = IdentityEnvironment(store: store)
        let provider = BenchmarkProvider(BenchmarkSessions.make(over: store))
        guard let links else { return IdentityClient(provider: provider, environment: environment) }
        let others = (1..<max(1, links)).map { index in
            IdentityProviderChain.Link(
                "other-\(index)",
                BenchmarkProvider(BenchmarkSessions.make(over: MemoryTokenStore(), realm: "other-\(index)")))
        }
        return IdentityClient(
            provider: try IdentityProviderChain(others + [.init("work", provider)]), environment: environment)
    }
}
