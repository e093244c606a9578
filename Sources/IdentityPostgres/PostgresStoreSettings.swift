import Foundation
import IdentityKit

/// The settings of a store on PostgreSQL.
public struct PostgresStoreSettings: Decodable, Sendable {
    /// `url`: the database, as libpq reads it: `postgresql://role@host/database`, or keywords.
    public var url: Secret
    /// `directURL`: the same database without a pooler, so that leases of a dead process are free at once.
    public var directURL: Secret?
    /// `key`: the key that seals the records.
    public var key: PostgresKey
    /// `tls`: the `sslmode` that is accepted beside `verify-full` for a server on another machine.
    public var tls: PostgresTLS
    /// `schema` and `tablePrefix`: the tables.
    public var tables: PostgresTables
    /// `audit`: whether sign-ins, refreshes and sign-outs are written down; by default they are not.
    public var keepsAuditTrail: Bool
    /// `maximumConnections`: the largest number of connections of a process, from 1 to 1,000; by default 4. One more hears of
    /// changes.
    public var maximumConnections: Int
    /// `deadline`: how long a call may take, in seconds, from 0.1 to 300; by default 5.
    public var deadline: Duration
    /// `longestDelay`: how long another machine's change may stay unknown at most, in seconds, from 1 to 300; by default 5.
    public var longestDelay: Duration

    private enum CodingKeys: String, CodingKey {
        case url
        case directURL
        case key
        case tls
        case schema
        case tablePrefix
        case keepsAuditTrail = "audit"
        case maximumConnections
        case deadline
        case longestDelay
    }

    private struct Connections: BoundedNumber {
        static let bounds = 1.0...1_000
        static let advice = "Use a number of connections from 1 to 1000."
        let number: Int

        init(number: Double) { self.number = Int(number) }
    }

    private struct Deadline: BoundedNumber {
        static let bounds = 0.1...300
        static let advice = "Use seconds from 0.1 to 300."
        let duration: Duration

        init(number: Double) { duration = .seconds(number) }
    }

    private struct Delay: BoundedNumber {
        static let bounds = 1.0...300
        static let advice = "Use seconds from 1 to 300."
        let duration: Duration

        init(number: Double) { duration = .seconds(number) }
    }

    /// Reads the settings.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decode(Secret.self, forKey: .url)
        directURL = try container.decodeIfPresent(Secret.self, forKey: .directURL)
        key = try container.decode(PostgresKey.self, forKey: .key)
        tls = try container.decodeIfPresent(PostgresTLS.self, forKey: .tls) ?? .verified
        let schema = try container.decodeIfPresent(String.self, forKey: .schema)
        let prefix = try container.decodeIfPresent(String.self, forKey: .tablePrefix)
        keepsAuditTrail = try container.decodeIfPresent(Bool.self, forKey: .keepsAuditTrail) ?? false
        maximumConnections =
            try container.decodeIfPresent(Connections.self, forKey: .maximumConnections)?.number ?? 4
        deadline = try container.decodeIfPresent(Deadline.self, forKey: .deadline)?.duration ?? .seconds(5)
        longestDelay = try container.decodeIfPresent(Delay.self, forKey: .longestDelay)?.duration ?? .seconds(5)
        tables = try PostgresTables(schema: schema, prefix: prefix ?? PostgresTables.standard.prefix)
    }
}

/// Where the key of a fleet is kept: the same on every machine.
public enum PostgresKey: Sendable, Equatable {
    /// A file, such as a mounted secret.
    case keyFile(path: String)
    /// An environment variable.
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
    private enum CodingKeys: String, CodingKey {
        case home
        case path
        case name
    }

    private enum Home: String, Codable, CaseIterable {
        case keyFile
        case variable
        case allowUnencryptedStorage
    }

    /// Reads `{"home": …}`, with `path` for a key file and `name` for a variable.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Home.self, forKey: .home) {
        case .keyFile:
            let path = try container.decode(String.self, forKey: .path)
            self = .keyFile(path: decoder.absolutePath(of: path) ?? path)
        case .variable: self = .variable(name: try container.decode(String.self, forKey: .name))
        case .allowUnencryptedStorage: self = .allowUnencryptedStorage
        }
    }
}
