/// Lets a silent lookup report that it is busy reading all sessions of a store, so that the deadline for slow servers
/// does not apply.
package enum WholeReading {
    /// Whether the running lookup has begun to read the whole store; `nil` outside of a call that may have a deadline.
    static let hasBegun = TaskLocal<Locked<Bool>?>(wrappedValue: nil)

    /// Marks the running lookup as reading the whole store from now on.
    package static func begin() { hasBegun.get()?.withLock { $0 = true } }
}
