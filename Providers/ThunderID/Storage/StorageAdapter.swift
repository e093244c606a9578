import IdentityKit

/// The storage for sessions of a ``ThunderIDClient``: texts by key.
///
/// A method that fails must throw, because `nil` from ``retrieve(key:)`` would mean a sign-out. Clients of one process
/// that share an adapter object also share its sessions. An adapter that is a structure must be used by one client at a
/// time. No adapter may be used by several processes; those need a framework store
/// (``ThunderIDClient/init(environment:)``).
public protocol StorageAdapter: Sendable {
    /// Stores `value` under `key`, replacing an earlier value.
    /// - Throws: if the value is not stored.
    func store(key: String, value: String) throws
    /// The value under `key`; `nil` if there is none.
    /// - Throws: if that cannot be determined.
    func retrieve(key: String) throws -> String?
    /// Deletes the value under `key`.
    /// - Throws: if the value may still be there.
    func delete(key: String) throws
    /// Deletes all values.
    /// - Throws: if a value may still be there.
    func clear() throws
}

/// Keeps sessions in memory, for tests, previews and short-lived tools.
public final class InMemoryStorageAdapter: StorageAdapter {
    private let values = Locked<[String: String]>([:])

    public init() {}

    /// Stores `value` under `key`.
    public func store(key: String, value: String) {
        values.withLock { $0[key] = value }
    }

    /// The value under `key`; `nil` when there is none.
    public func retrieve(key: String) -> String? {
        values.withLock { $0[key] }
    }

    /// Deletes the value under `key`.
    public func delete(key: String) {
        values.withLock { $0[key] = nil }
    }

    /// Deletes all values.
    public func clear() {
        values.withLock { $0 = [:] }
    }
}
