import Foundation

/// A value that can be read and changed only while a lock is held.
///
/// The lock is a mutex of the system. `Synchronization.Mutex` needs newer Apple systems than this package supports, and
/// causes false reports of ThreadSanitizer on Linux. `NSLock` on Linux takes 200 bytes, and more time than most work
/// under the lock. The methods are inlinable, because other modules would otherwise access the generic value through
/// witness tables. Do not lock a `Void`: ThreadSanitizer reports accesses to a value without size as a race.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    // The unchecked conformance is sound. `value` is sendable, and only this type and its inlined functions access it,
    // while they hold `mutex`. The mutex is initialized before any caller can have this object, and is destroyed
    // together with it.
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

    /// Stores `new` and returns the former value, both under the lock.
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
