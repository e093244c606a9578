#if PostgreSQL
import Foundation
import IdentityKit

/// The audit trail of accounts. The statement that writes a record also creates its entry.
struct PostgresAudit: Sendable {
    /// Queries the latest entries of an account, but only entries whose number is below a given number.
    let list: PostgresStatement
    private let place: String

    init(_ tables: PostgresTables) {
        list = PostgresStatement(
            name: "audit",
            text: """
                SELECT number, (extract(epoch FROM at) * 1000000)::bigint, generation, action, place
                FROM \(tables.audit) WHERE id = $1::bytea AND number < $2::bigint ORDER BY number DESC LIMIT $3::bigint
                """)
        place = "\(Self.machine)/\(ProcessInfo.processInfo.processIdentifier)"
    }

    /// Returns the values of the entry for a write to `key`: the action, and a text with the machine and the process.
    /// Both values are null when the write needs no entry.
    func values(for key: StoreKey) -> [PostgresValue] {
        guard key.collection == .accounts, let action = SessionAction.current else { return [.null, .null] }
        return [.text(action.rawValue), .text(place)]
    }

    /// The machine's name from the kernel, because Foundation may ask a name server.
    private static var machine: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension AuditEntry {
    /// Reads a row of ``PostgresAudit/list``; `nil` when a value is missing or invalid, such as an action that only a
    /// later version knows.
    init?(row: PostgresRows.Row, of account: AccountID) {
        guard let number = row.integer(0), let microseconds = row.integer(1),
            let generation = row.integer(2).flatMap({ UInt64(exactly: $0) }),
            let action = row.text(3).flatMap(SessionAction.init), let place = row.text(4)
        else { return nil }
        self.init(
            number: number, date: Date(timeIntervalSince1970: Double(microseconds) / 1_000_000), account: account,
            action: action, generation: generation, place: place)
    }
}
#endif
