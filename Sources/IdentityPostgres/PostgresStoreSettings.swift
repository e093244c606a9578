import Foundation
import IdentityKit

/// The settings of the store type `postgres` in a configuration.
public struct PostgresStoreSettings: Decodable, Sendable {
    /// `url`: the address of the database, `postgresql://role@host/database` or libpq's keywords.
    public var url: Secret
    /// `directURL`: the address of the same database without a pooler, so that leases of a dead process are free at
    /// once; by default `url`.
    public var directURL: Secret?
    /// `key`: the place of the key that encrypts the records.
    public var key: PostgresKey
    /// `tls`: the weakest `sslmode` that is accepted for a server on another machine; by default `verify-full`.
    public var tls: PostgresTLS
    /// `schema` and `tablePrefix`: the names of the tables.
    public var tables: PostgresTables
    /// `audit`: whether changes of sessions, such as sign-ins, refreshes and sign-outs, are recorded in an audit trail;
    /// by default they are not.
    public var keepsAuditTrail: Bool
    /// `maximumConnections`: the limit of connections per process, from 1 to 1,000; by default 4. One additional
    /// connection receives changes.
    public var maximumConnections: Int
    /// `deadline`: the limit of each statement in seconds, including the wait for a connection, from 0.1 to 300; by
    /// default 5.
    public var deadline: Duration
    /// `longestDelay`: how long a change of another machine may stay unnoticed, in seconds, from 1 to 300; by default
    /// 5.
    public var longestDelay: Duration

    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        url = try settings.read(
            "url", means: "The database, as libpq reads it: an address or keywords.", example: "${DATABASE_URL}")
        directURL = try settings.readIfPresent(
            "directURL",
            means: "The same database without a pooler, so that leases of a dead process are free at once.",
            example: "${DIRECT_DATABASE_URL}")
        key = try settings.read(
            "key", means: "The key that seals the records, the same on every machine.",
            example: ["home": "keyFile", "path": "/run/secrets/identity-key"])
        tls = try settings.read(
            "tls", means: "How much of the server's certificate is checked, where the server is another machine.",
            example: "verify-ca", default: "verify-full")
        let schema: String? = try settings.readIfPresent(
            "schema", means: "The schema of the tables; by default the first one of the role's search path.",
            example: "identity")
        let prefix: String = try settings.read(
            "tablePrefix", means: "What the names of the tables begin with.", example: "example",
            default: .string(PostgresTables.standard.prefix))
        keepsAuditTrail = try settings.read(
            "audit", means: "Whether sign-ins, refreshes and sign-outs are written down.", example: true,
            default: false)
        maximumConnections = Int(
            try settings.read(
                "maximumConnections", .within(1...1_000, "Use a number of connections from 1 to 1000."),
                means: "The largest number of connections of a process; one more hears of changes.", example: 16,
                default: 4))
        deadline = .seconds(
            try settings.read(
                "deadline", .within(0.1...300, "Use seconds from 0.1 to 300."),
                means: "How long a call may take, in seconds.", example: 10, default: 5))
        longestDelay = .seconds(
            try settings.read(
                "longestDelay", .within(1...300, "Use seconds from 1 to 300."),
                means: "How long another machine's change may stay unknown at most, in seconds.", example: 30,
                default: 5))
        tables = try PostgresTables(schema: schema, prefix: prefix)
    }
}

/// The place of the key that encrypts the records: a file, an environment variable, or none for records that are not
/// encrypted. The key must be the same on every machine.
public enum PostgresKey: Sendable, Equatable {
    /// A file with the key, such as a mounted secret.
    case keyFile(path: String)
    case variable(name: String)
    /// No key: everybody who can read the database can use the tokens.
    case allowUnencryptedStorage

    func home(in context: StoreContext) -> (any DataKeyHome)? {
        switch self {
        case .keyFile(let path): KeyFile(path: path)
        case .variable(let name): VariableKey(variable: name, value: context.variable)
        case .allowUnencryptedStorage: nil
        }
    }

    var inWords: String {
        switch self {
        case .keyFile(let path): "sealed with a key in \(path)"
        case .variable(let name): "sealed with a key in the variable \(name)"
        case .allowUnencryptedStorage: "not sealed"
        }
    }
}

extension PostgresKey: Decodable {
    private enum Home: String, Codable, CaseIterable {
        case keyFile
        case variable
        case allowUnencryptedStorage
    }

    /// Reads `{"home": …}`, with `path` for a key file and `name` for a variable.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        let home: Home = try settings.read(
            "home", means: "What keeps the key; allowUnencryptedStorage seals nothing.", example: "keyFile")
        switch home {
        case .keyFile:
            let path: String = try settings.read(
                "path", means: "The file of the key, for a keyFile.", example: "/run/secrets/identity-key")
            self = .keyFile(path: decoder.absolutePath(of: path) ?? path)
        case .variable:
            self = .variable(
                name: try settings.read(
                    "name", means: "The environment variable of the key, for a variable.",
                    example: "IDENTITY_STORE_KEY"))
        case .allowUnencryptedStorage: self = .allowUnencryptedStorage
        }
    }
}
