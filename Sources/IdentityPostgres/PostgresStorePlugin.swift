import Foundation
import IdentityKit

/// The store type `postgres`: sessions of many machines in one PostgreSQL database.
///
/// ```json
/// {
///   "type": "postgres",
///   "url": "${DATABASE_URL}",
///   "key": { "home": "keyFile", "path": "/run/secrets/identity-key" }
/// }
/// ```
public enum PostgresStorePlugin: AdministeredStorePlugin {
    public static let type = "postgres"

    /// Returns the place of the sessions in words: the kind of database, and the place of the key that encrypts the
    /// records, if they are encrypted.
    package static func place(of settings: PostgresStoreSettings) -> String {
        "in a PostgreSQL database, \(settings.key.inWords)"
    }

    /// Returns the script that creates or updates the tables; never `nil`, because the script itself checks what is
    /// missing.
    public static func migration(settings: PostgresStoreSettings) -> String? {
        PostgresSchema(settings.tables).migration
    }

    #if PostgreSQL
    /// Opens the store without connecting to the server. The store encrypts the records, unless the settings allow
    /// unencrypted storage.
    /// - Throws: `TokenStoreError.insecure` or `TokenStoreError.unsupported` for an address that cannot be used.
    public static func openStore(settings: PostgresStoreSettings, context: StoreContext) throws -> any TokenStore {
        let store = try PostgresTokenStore(settings: settings)
        guard let home = settings.key.home(in: context) else { return store }
        return SealedTokenStore(store, storeID: settings.tables.prefix, key: home, time: context.time)
    }

    /// Creates the tables, or updates them to this version.
    /// - Throws: `TokenStoreError`, `CancellationError`.
    public static func migrate(settings: PostgresStoreSettings, context: StoreContext) async throws {
        try await PostgresTokenStore(settings: settings).migrate()
    }

    /// Examines the server, the role, the clock and the tables. If the database cannot be examined, the only finding is
    /// the error.
    package static func examine(settings: PostgresStoreSettings, context: StoreContext) async -> [StoreFinding] {
        do {
            return try await PostgresTokenStore(settings: settings).examine(at: context.time)
        } catch {
            return [StoreFinding(.bad, "database", error.identityMessage)]
        }
    }
    #else
    /// Always throws, because this program was built without libpq.
    /// - Throws: `TokenStoreError.unsupported`.
    public static func openStore(settings: PostgresStoreSettings, context: StoreContext) throws -> any TokenStore {
        throw withoutTrait
    }

    /// Always throws, as ``openStore(settings:context:)`` does.
    /// - Throws: `TokenStoreError.unsupported`.
    public static func migrate(settings: PostgresStoreSettings, context: StoreContext) async throws {
        throw withoutTrait
    }

    private static var withoutTrait: TokenStoreError {
        .unsupported(
            detail:
                "this program was built without the trait \"PostgreSQL\" of swift-identity. Add it in Package.swift: "
                + "traits: [\"PostgreSQL\"]")
    }
    #endif
}

#if !PostgreSQL
/// A store in a PostgreSQL database. Available only with the trait `PostgreSQL` of swift-identity.
@available(
    *, unavailable, message: "add the trait \"PostgreSQL\" of swift-identity in Package.swift: traits: [\"PostgreSQL\"]"
)
public final class PostgresTokenStore {}
#else
extension PostgresTokenStore {
    /// Makes the store from the settings of a configuration. The store does not encrypt its records by itself.
    /// - Throws: `TokenStoreError.insecure` or `TokenStoreError.unsupported` for an address that cannot be used.
    public convenience init(settings: PostgresStoreSettings) throws {
        var options = Options()
        options.tables = settings.tables
        options.tls = settings.tls
        options.keepsAuditTrail = settings.keepsAuditTrail
        options.maximumConnections = settings.maximumConnections
        options.deadline = settings.deadline
        options.longestDelay = settings.longestDelay
        try self.init(url: settings.url, directURL: settings.directURL, options: options)
    }
}
#endif
