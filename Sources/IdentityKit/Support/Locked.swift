import Foundation

/// A value behind a lock.
///
/// `NSLock` and not `Synchronization.Mutex`, which needs newer Apple systems than this package supports and which
/// ThreadSanitizer on Linux reports falsely.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    // Unchecked is sound: `value` is sendable, private, and touched only while `lock` is held.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }

    /// Replaces the value.
    /// - Returns: the value before.
    package func exchange(_ new: Value) -> Value {
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
