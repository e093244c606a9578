/// Items of Apple's Keychain that a person has to open. It is a protocol for the same reason as ``Keychain``.
package protocol KeychainGuard: Sendable {
    /// `SecItemAdd` of an item that a person has to open from then on. Nobody is asked now.
    func add(_ item: KeychainItem, as name: KeychainName) throws(KeychainError)

    /// Asks the person, and reads the item. When the task is cancelled the question ends.
    /// - Throws: ``KeychainError``, `CancellationError` when the person refuses, or what kept the person from being asked.
    func item(_ name: KeychainName) async throws -> KeychainItem
}
