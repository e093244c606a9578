/// Tells a chain that a silent lookup waits until all sessions of a store are read, which is no matter of a server.
package enum WholeReading {
    /// Whether the running lookup does; `nil` outside of one with a deadline.
    static let hasBegun = TaskLocal<Locked<Bool>?>(wrappedValue: nil)

    /// The running lookup does from now on.
    package static func begin() { hasBegun.get()?.withLock { $0 = true } }
}
