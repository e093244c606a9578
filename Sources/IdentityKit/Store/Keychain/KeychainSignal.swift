/// Tells other processes that something in the Keychain has changed. Treat signals as hints: one may be lost, and every
/// process can send one.
package protocol KeychainSignal: Sendable {
    /// Sends a signal to all listeners, also in this process.
    func send()

    /// Calls `body` for every signal until the result is released.
    func listen(_ body: @escaping @Sendable () -> Void) -> any Sendable
}
