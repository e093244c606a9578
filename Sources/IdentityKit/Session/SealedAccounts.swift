/// Finds the accounts to sign out when the store's key is missing or cannot be read. The name of a session's record
/// identifies the account, so that the session can be erased without being read.
extension TokenStore {
    /// The accounts whose records are not erased, ordered by realm and account, with the errors of records that cannot be
    /// listed; `nil` for a store that is not encrypted. An account whose session has ended is included, because the
    /// records are not decrypted.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the store cannot be read.
    package func sealedAccounts() async throws -> (accounts: [AccountID], failures: [TokenStoreError])? {
        guard let sealed = sealedRecords else { return nil }
        let listing = try await sealed.records(in: .accounts)
        let accounts = listing.records.filter { $0.content != nil }.compactMap { AccountID(id: $0.key.name) }
        return (accounts.sorted(), listing.failures)
    }

    /// The account to sign out when the caller names none and the active account cannot be read without the store's key.
    /// - Parameters:
    ///   - error: the error of reading the active account.
    ///   - isMeant: returns whether an account belongs to one of the caller's providers.
    /// - Returns: the only account in the store for which `isMeant` returns `true`; `nil` when there is none.
    /// - Throws: `error` when it is not about the store's key or the store is not encrypted, ``UnreadableChoiceError``
    ///   when there are several such accounts, and ``/IdentityCore/TokenStoreError`` when the store or one of its records
    ///   cannot be read.
    package func onlySealedAccount(
        because error: any Error, where isMeant: (AccountID) -> Bool
    ) async throws -> AccountID? {
        guard error.isAboutStoreKey, let sealed = try await sealedAccounts() else { throw error }
        let accounts = sealed.accounts.filter(isMeant)
        guard accounts.count <= 1 else { throw UnreadableChoiceError(accounts: accounts) }
        // A record that cannot be listed may be that of the active account.
        if let failure = sealed.failures.first { throw failure }
        return accounts.first
    }
}

extension Error {
    /// Whether the store's key is missing or cannot be read, according to this error or, for a
    /// ``/IdentityCore/ChainError``, to the error that caused it.
    package var isAboutStoreKey: Bool {
        if let error = self as? ChainError { return error.underlying?.isAboutStoreKey ?? false }
        return (self as? TokenStoreError)?.isAboutKey ?? false
    }
}

/// The active account cannot be determined among several, because the store's key is missing or cannot be read.
package struct UnreadableChoiceError: StatedFailure {
    package let accounts: [AccountID]

    package init(accounts: [AccountID]) { self.accounts = accounts }

    package var facts: FailureFacts {
        .definitive(
            "active_account_unreadable",
            "Which account is active cannot be read without the store's key. Name one, or sign all out: "
                + "\(accounts.map(\.id).joined(separator: ", ")).")
    }
}
