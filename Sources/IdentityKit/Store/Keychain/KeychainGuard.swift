/// Access to items of Apple's Keychain that a person has to unlock. Tests use another implementation.
package protocol KeychainGuard: Sendable {
    /// Adds an item with `SecItemAdd`. Reading it will require a person; adding it does not.
    func add(_ item: KeychainItem, as name: KeychainName) throws(KeychainError)

    /// Asks the person, and reads the item. Cancelling the task dismisses the question.
    /// - Throws: ``KeychainError``, `CancellationError` when the person refuses, or the reason why the person could not
    ///   be asked.
    func item(_ name: KeychainName) async throws -> KeychainItem
}
