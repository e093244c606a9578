import Foundation
import IdentityKit

/// Keeps values until they expire or are taken. Inserting a value removes the expired ones.
final class ExpiringStore<Value: Sendable>: Sendable {
    private let entries = Locked<[String: (value: Value, expiresAt: Date)]>([:])
    private let lifetime: Duration
    private let time: TimeSource

    init(lifetime: Duration, time: TimeSource) {
        self.lifetime = lifetime
        self.time = time
    }

    /// - Parameter end: the expiry; `nil` for the store's lifetime from now on.
    func insert(_ value: Value, for key: String, until end: Date? = nil) {
        let now = time.now
        entries.withLock { entries in
            entries = entries.filter { now < $1.expiresAt }
            entries[key] = (value, end ?? now + lifetime.timeInterval)
        }
    }

    /// The number of stored values, including expired ones that have not been removed yet.
    var count: Int { entries.withLock { $0.count } }

    func value(_ key: String) -> Value? {
        entries.withLock { $0[key] }.flatMap { time.now < $0.expiresAt ? $0.value : nil }
    }

    /// The values that have not expired, the latest expiry first.
    var waiting: [Value] {
        let now = time.now
        return entries.withLock { Array($0.values) }.filter { now < $0.expiresAt }
            .sorted { $0.expiresAt > $1.expiresAt }.map(\.value)
    }

    func take(_ key: String) -> Value? {
        let entry = entries.withLock { $0.removeValue(forKey: key) }
        return entry.flatMap { time.now < $0.expiresAt ? $0.value : nil }
    }
}
