#if PostgreSQL
import IdentityKit
import IdentityPostgres
import IdentityTesting
import TestSupport
import Testing

/// What every store promises, asked of the one on PostgreSQL.
@Suite(.endsInTime) struct PostgresConformanceTests {
    @Test("The store conforms", arguments: TokenStoreConformance.checks)
    func conforms(check: TokenStoreConformance.Check) async throws {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store(options: .lasting)
        let isFirst = Locked(true)
        try await check.run {
            isFirst.exchange(false) ? store : try server.open(database, options: .lasting)
        }
    }

    @Test("Through PgBouncer in transaction mode, the store conforms", arguments: TokenStoreConformance.checks)
    func conformsPooled(check: TokenStoreConformance.Check) async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store(options: .lasting)
        let url = try server.pooledURL(database)
        try await check.run { try PostgresTokenStore(url: url, options: .lasting) }
    }

    @Test(
        "Through PgBouncer with a direct connection for changes, the store conforms",
        arguments: TokenStoreConformance.checks)
    func conformsPooledAndDirect(check: TokenStoreConformance.Check) async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store(options: .lasting)
        let url = try server.pooledURL(database)
        try await check.run { try PostgresTokenStore(url: url, directURL: server.url(database), options: .lasting) }
    }

    @Test("Sealed, the store conforms", arguments: TokenStoreConformance.checks)
    func conformsSealed(check: TokenStoreConformance.Check) async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store(options: .lasting)
        let folder = try TemporaryFolder()
        try await check.run {
            SealedTokenStore(
                try server.open(database, options: .lasting), storeID: "fleet",
                key: KeyFile(path: folder.file("key").path))
        }
    }
}
#endif
