import IdentityKit

/// The storage in which a ``ThunderIDClient`` keeps its sessions, as texts by key.
///
/// A method that fails must throw. If ``retrieve(key:)`` returned `nil` instead, the client would take the person for signed
/// out.
///
/// Clients of one process share the sessions of an adapter if they use the same adapter object. An adapter that is a structure
/// cannot be shared, so only one client at a time may use it. ``KeychainStorageAdapter`` is an exception. Never use an
/// adapter's storage in several processes: they need the default storage, or the store of an environment
/// (``ThunderIDClient/init(environment:)``).
public protocol StorageAdapter: Sendable {
    /// Stores `value` under `key`, replacing an earlier value.
    /// - Throws: any error if the value is not stored.
    func store(key: String, value: String) throws
    /// Returns the value under `key`; `nil` if there is none.
    /// - Throws: any error if the storage cannot be read, for example while it is locked.
    func retrieve(key: String) throws -> String?
    /// Deletes the value under `key`.
    /// - Throws: any error if the value may still be stored.
    func delete(key: String) throws
    /// Deletes all values of the storage.
    /// - Throws: any error if a value may still be stored.
    func clear() throws
}

/// Keeps sessions in memory, for tests, previews and short-lived tools.
public final class InMemoryStorageAdapter: StorageAdapter {
    private let values = Locked<[String: String]>([:])

    public init() {}

    /// Stores `value` under `key` until the adapter is released, replacing an earlier value.
    public func store(key: String, value: String) {
        values.withLock { $0[key] = value }
    }

    /// Returns the value under `key`; `nil` if there is none.
    public func retrieve(key: String) -> String? {
        values.withLock { $0[key] }
    }

    /// Deletes the value under `key`, if there is one.
    public func delete(key: String) {
        values.withLock { $0[key] = nil }
    }

    /// Deletes the values under all keys.
    public func clear() {
        values.withLock { $0 = [:] }
    }
}
