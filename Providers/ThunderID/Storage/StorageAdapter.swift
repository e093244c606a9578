import IdentityKit

/// Storage of a ``ThunderIDClient`` for its sessions: texts by key.
///
/// A method that cannot do its work throws: `nil` from ``retrieve(key:)`` looks like a sign-out. Clients of one process may
/// share an adapter that is an object, and share its sessions then. An adapter that is a structure of the app's own belongs to
/// one client at a time, and to one process as every adapter does; processes that share sessions share a framework store
/// (``ThunderIDClient/init(environment:)``).
public protocol StorageAdapter: Sendable {
    /// Keeps `value` under `key`, in place of what was there.
    /// - Throws: when it is not kept.
    func store(key: String, value: String) throws
    /// The value under `key`; `nil` when there is none.
    /// - Throws: when it cannot be known.
    func retrieve(key: String) throws -> String?
    /// Forgets what is kept under `key`.
    /// - Throws: when it may still be there.
    func delete(key: String) throws
    /// Forgets everything.
    /// - Throws: when something may still be there.
    func clear() throws
}

/// Keeps sessions as long as the process lives: for tests, previews and short-lived tools.
public final class InMemoryStorageAdapter: StorageAdapter {
    private let values = Locked<[String: String]>([:])

    public init() {}

    /// Keeps `value`.
    public func store(key: String, value: String) {
        values.withLock { $0[key] = value }
    }

    /// The value under `key`; `nil` when there is none.
    public func retrieve(key: String) -> String? {
        values.withLock { $0[key] }
    }

    /// Forgets one value.
    public func delete(key: String) {
        values.withLock { $0[key] = nil }
    }

    /// Forgets everything.
    public func clear() {
        values.withLock { $0 = [:] }
    }
}
