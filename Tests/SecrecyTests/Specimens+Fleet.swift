import Foundation
import IdentityObservability
import IdentityPostgres
import Testing

@testable import IdentityKit

extension Specimens {
    /// The store of a fleet, whose address has a password.
    static func fleet() throws -> [Any] {
        let address = "postgresql://app:\(Planted.text)@db.example.com/identity"
        let store = StoreConfiguration(
            type: "postgres",
            settings: ["url": .string(address), "key": ["home": "variable", "name": "KEY"]])
        let settings = try SettingsDecoder.decode(PostgresStoreSettings.self, from: store.settings, at: "store")
        var stores = StoreRegistry()
        stores.register(PostgresStorePlugin.self)
        return [
            store, stores,
            StoreContext(time: .system, variables: ["KEY": Planted.text]),
            StoreFinding(.good, "database", "it is there"),
            StoreFinding.Verdict.good, settings, settings.key, settings.tls, settings.tables,
            PostgresSchema(settings.tables), VariableKey(variable: "KEY") { _ in Planted.text },
            ClientHealth.Figure.takeovers,
            ClientHealth(
                storeFailure: TokenStoreError.locked(detail: "d"), oldestUnstoredResult: .seconds(1),
                figures: [.takeovers: 1]),
            DataKeys(try DataKey()), RekeyingProgress(), PurgeProgress(), SessionAction.refresh,
            AuditEntry(
                number: 1, date: Date(), account: Self.account, action: .refresh, generation: 1, place: "web-1/1"),
        ] + (try opened(settings)) + observers()
    }

    #if PostgreSQL
    private static func opened(_ settings: PostgresStoreSettings) throws -> [Any] {
        [try PostgresTokenStore(settings: settings), PostgresTokenStore.Options()]
    }
    #else
    private static func opened(_ settings: PostgresStoreSettings) throws -> [Any] { [] }
    #endif

    #if Observability
    private static func observers() -> [Any] { [LoggingObserver(), MetricsObserver(), TracingObserver()] }
    #else
    private static func observers() -> [Any] { [] }
    #endif
}
