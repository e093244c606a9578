import Foundation
import IdentityKit

/// Keeps sessions in a dictionary, for as long as the program runs.
///
/// The records belong to the actor, whose order is that of the writes. A ``NoticeBoard`` has the rest, which callers get
/// without waiting.
public actor DictionaryStore: TokenStore {
    private let capacity: Int
    private let time: TimeSource
    private var trails: [AccountID: [AuditEntry]] = [:]
    private var kept: [StoreKey: StoreRecord] = [:]
    private nonisolated let board = NoticeBoard()

    /// A store for `capacity` records, erased ones among them.
    public init(capacity: Int = 10_000, time: TimeSource = .system) { (self.capacity, self.time) = (capacity, time) }

    public func record(for key: StoreKey) -> StoreRecord? { kept[key] }

    public func records(in collection: StoreKey.Collection) -> StoreListing {
        StoreListing(records: kept.values.filter { $0.key.collection == collection })
    }

    /// Pages go by the bytes of the names, so that a new record moves none to another page.
    public func page(of collection: StoreKey.Collection, after position: String?, limit: Int) -> StoreListing {
        let sorted = records(in: collection).records.sorted { $0.key.name.comes(before: $1.key.name) }
        let rest = sorted.filter { record in position.map { $0.comes(before: record.key.name) } ?? true }
        let part = Array(rest.prefix(max(limit, 1)))
        return StoreListing(records: part, next: part.count < rest.count ? part.last?.key.name : nil)
    }

    /// Compares and sets in one step, because nothing in it is awaited. An erased record stays, with its generation.
    @discardableResult
    public func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) throws -> StoreRecord {
        let current = kept[key]?.generation ?? 0
        guard current == generation else { throw TokenStoreError.conflict(key, current: current) }
        guard kept[key] != nil || kept.count < capacity else { throw TokenStoreError.full(path: "the dictionary") }
        let record = StoreRecord(key: key, generation: current + 1, content: content)
        kept[key] = record
        note(record)
        board.announce(record)
        return record
    }

    public func lease(for key: StoreKey) -> (any StoreLease)? {
        board.take(key) ? DictionaryLease(key: key, store: self, board: board) : nil
    }

    public nonisolated func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> {
        board.changes(in: collection)
    }

    public nonisolated func marker(for key: StoreKey) -> (any StoreVersion)? { RecordVersion(key: key, board: board) }
}

extension DictionaryStore: AuditedTokenStore {
    public func auditTrail(of account: AccountID, before number: Int64?, limit: Int) -> [AuditEntry] {
        Array((trails[account] ?? []).reversed().filter { $0.number < number ?? .max }.prefix(limit))
    }

    /// Writes that change what is kept beside the session have no action.
    private func note(_ record: StoreRecord) {
        guard record.key.collection == .accounts, let account = AccountID(id: record.key.name),
            let action = SessionAction.current
        else { return }
        let number = Int64(trails[account]?.count ?? 0) + 1
        trails[account, default: []].append(
            AuditEntry(
                number: number, date: time.now, account: account, action: action, generation: record.generation,
                place: ProcessInfo.processInfo.processName))
    }
}

extension String {
    fileprivate func comes(before other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
