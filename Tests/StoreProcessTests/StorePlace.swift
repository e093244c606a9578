import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport

/// The stores that several processes can share.
enum StorePlace: CaseIterable, Sendable {
    case files
    #if PostgreSQL
    case database
    /// The same through PgBouncer in transaction mode.
    case pool
    #endif

    /// The seconds that a call to a database may take: the longest that can be set, because the machine may be busy.
    static let patience: JSONValue = 300

    static let registry = StoreRegistry([PostgresStorePlugin.self])

    /// A store that was never used, with what it needs in `folder`.
    func configuration(in folder: TemporaryFolder) async throws -> StoreConfiguration {
        switch self {
        case .files:
            return .file(folder: folder.file("store").path, key: .keyFile())
        #if PostgreSQL
        case .database, .pool:
            let server = try PostgresServer.shared()
            let database = try server.database()
            let url = self == .pool ? try server.pooledURL(database) : server.url(database)
            let configuration = StoreConfiguration(
                type: PostgresStorePlugin.type,
                settings: [
                    "url": .string(url.reveal()), "deadline": Self.patience,
                    "key": ["home": "keyFile", "path": .string(folder.file("key").path)],
                ])
            try await Self.registry.migrate(configuration)
            return configuration
        #endif
        }
    }
}

extension StoreConfiguration {
    /// The configuration as a document.
    var json: String { get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) } }
}
