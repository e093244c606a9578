/// Tells other processes that something in the Keychain was changed, without saying what.
///
/// It is a hint: one may be lost, and anybody may send one. Whoever hears it looks for themselves.
package protocol KeychainSignal: Sendable {
    /// Tells everybody who listens, also in this process.
    func send()

    /// Calls `body` for every signal until the result is let go of.
    func listen(_ body: @escaping @Sendable () -> Void) -> any Sendable
}
