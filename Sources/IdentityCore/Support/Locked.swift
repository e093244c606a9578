import Foundation

/// A value behind a lock.
///
/// A mutex of the system: `Synchronization.Mutex` needs newer Apple systems than this package supports, and ThreadSanitizer on
/// Linux reports it falsely; `NSLock` on Linux takes a fifth of a kilobyte and more time than most of what is done under it.
/// Inlinable, because a generic value that is not is behind witnesses in other modules. A `Void` has no size and so the
/// address of the object, at which the sanitizer takes two callers for a race.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    // Unchecked is sound: `value` is sendable, and only this type, whose inlined functions other modules contain, touches it,
    // while `mutex` is held. The mutex is initialized before the first caller can have this object and lives as long as it.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var value: Value

    @inlinable package init(_ value: Value) {
        self.value = value
        // At an address of its own: a mutex must not move.
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

    /// Replaces the value.
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
