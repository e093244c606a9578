/// Signing out without the store's key: the session is erased unread, identified by the name of its record.
extension TokenStore {
    /// The accounts with a session, in alphabetical order, from the names of their records; `nil` for a store that is
    /// not encrypted.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the store cannot be read.
    package func sealedAccounts() async throws -> (accounts: [AccountID], failures: [TokenStoreError])? {
        guard let sealed = sealedRecords else { return nil }
        let listing = try await sealed.records(in: .accounts)
        let accounts = listing.records.filter { $0.content != nil }.compactMap { AccountID(id: $0.key.name) }
        return (accounts.sorted(), listing.failures)
    }

    /// The account to sign out when the call names none and `error` prevented reading the active one: the only account.
    /// - Parameter isMeant: whether an account comes into question.
    /// - Returns: `nil` when there is none.
    /// - Throws: `error` when it is not about the store's key, ``UnreadableChoiceError`` when there are several, and
    ///   ``/IdentityCore/TokenStoreError``.
    package func onlySealedAccount(
        because error: any Error, where isMeant: (AccountID) -> Bool
    ) async throws -> AccountID? {
        guard error.isAboutStoreKey, let accounts = try await sealedAccounts()?.accounts.filter(isMeant) else {
            throw error
        }
        guard accounts.count <= 1 else { throw UnreadableChoiceError(accounts: accounts) }
        return accounts.first
    }
}

extension Error {
    /// Whether the error says that the store's key is missing, also as the cause of a chain's error.
    package var isAboutStoreKey: Bool {
        if let error = self as? ChainError { return error.underlying?.isAboutStoreKey ?? false }
        return (self as? TokenStoreError)?.isAboutKey ?? false
    }
}

/// The active account cannot be determined among several, because the store's key is missing.
package struct UnreadableChoiceError: IdentityFailure {
    package let accounts: [AccountID]

    package init(accounts: [AccountID]) { self.accounts = accounts }

    package var failureCode: String { "active_account_unreadable" }
    package var failureClass: FailureClass { .definitive }

    package var message: String {
        "Which account is active cannot be read without the store's key. Name one, or sign all out: "
            + "\(accounts.map(\.id).joined(separator: ", "))."
    }
}
