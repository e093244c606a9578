import Foundation

/// A value behind a lock.
///
/// Uses a mutex of the system, because `Synchronization.Mutex` needs newer Apple systems than this package supports and
/// causes false reports of ThreadSanitizer on Linux, and `NSLock` on Linux takes 200 bytes and more time than most work
/// under the lock. The methods are inlinable, because other modules would otherwise access the generic value through
/// witness tables. Do not lock a `Void`: ThreadSanitizer takes accesses to a value without size for a race.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    // Unchecked conformance is sound: `value` is sendable, and only this type and its inlined functions access it,
    // while `mutex` is held. The mutex is initialized before any caller can have this object and lives as long as it.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var value: Value

    @inlinable package init(_ value: Value) {
        self.value = value
        // Allocated, because a mutex must not move.
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    @inlinable deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    @inlinable package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Replaces the value and returns the former one.
    /// - Returns: the value before.
    @inlinable package func exchange(_ new: Value) -> Value {
        withLock { value in
            defer { value = new }
            return value
        }
    }
}

extension Locked: CustomReflectable {
    /// Shows nothing: the value may be secret, such as a cache of sessions.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
