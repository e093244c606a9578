import Foundation

/// A value behind a lock, for the few places that need a synchronous answer.
///
/// `NSLock` and not `Synchronization.Mutex`: the latter needs newer Apple systems than this package supports, and
/// ThreadSanitizer on Linux reports it falsely.
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
}

extension Locked: CustomReflectable {
    /// Shows nothing: what is kept behind a lock, such as a cache of sessions, is nobody's to print.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
