/// Notifies all processes of a store in the Keychain that an item of the store has changed. Treat signals as hints: a
/// signal may be lost, and every process can send one.
package protocol KeychainSignal: Sendable {
    /// Sends a signal to all listeners, also in this process.
    func send()

    /// Calls `body` for every signal until the result is released.
    func listen(_ body: @escaping @Sendable () -> Void) -> any Sendable
}
