extension IdentityClient {
    /// Ends the session of `account`, or of the active account if none is given. An active account whose session has
    /// already ended is no longer active afterwards. Does nothing when no account is given or active.
    ///
    /// ``events(as:)`` reports the sign-out as soon as the session is erased from the store. Then the tokens are revoked at
    /// the backend, which may take up to five seconds. If the backend cannot be reached, processes that use the store try
    /// again for a day.
    ///
    /// Without the store's key, no token can be revoked, and the active account cannot be read. If no account is given, this
    /// method then signs out the account that the client last knew. If the client knows none, the result depends on the
    /// accounts of the client's providers in the store:
    ///
    /// - If there is only one, it is signed out.
    /// - If there are several, nobody is signed out, and an error with the code `active_account_unreadable` names them.
    /// - If a record of an account is damaged, nobody is signed out, and the error of the store is thrown.
    /// - Throws: ``/IdentityCore/TokenStoreError`` or the provider's error when the session could not be erased; an
    ///   error with the code `unknown_realm` when no provider has the account's realm, or `provider_excluded` when the
    ///   client's `ProviderOverride` excludes the provider; ``ClientError/accountRequired`` when the client requires every
    ///   call to name its account and this call names none; without `account`, an error with the code
    ///   `active_account_unreadable` as above, or what ``lookUp(scopes:)`` throws; `CancellationError` when the task is
    ///   cancelled.
    public func signOut(as account: AccountID? = nil) async throws { try await signOut(as: account) {} }

    /// Signs out as ``signOut(as:)`` does, and calls `onceOver` as soon as the session is erased from the store.
    /// - Throws: as ``signOut(as:)``.
    package func signOut(
        as account: AccountID? = nil, _ onceOver: @escaping @Sendable () async -> Void
    ) async throws {
        let named = if let account { account } else { try await accountToSignOut() }
        guard let account = named else { return }
        let (chain, epoch, moment) = state.withLock { ($0.chain, $0.epoch, $0.current.beginEnding()) }
        let finish = { @Sendable [self] in
            guard state.withLock({ $0.current.finishEnding(moment) }) else { return }
            Task { [weak self] in await self?.follow() }
        }
        defer { finish() }
        try await ProviderError.classifying {
            try await chain.end(account) { [self] in
                state.withLock { state in
                    // Do not report the sign-out of a session that a later sign-in, even of the same person, has replaced.
                    guard state.epoch == epoch, state.known == account, state.current.isStill(account, since: moment)
                    else { return }
                    emit(.signedOut, to: &state)
                }
                deliver()
                finish()
                await onceOver()
            }
        }
    }

    private func accountToSignOut() async throws -> AccountID? {
        try checkHasActive()
        do {
            return IdentityEvent(try await lookUp()).account
        } catch {
            if error.isAboutStoreKey, let known = state.withLock({ $0.active ?? $0.known }) { return known }
            return try await environment.store.onlySealedAccount(because: error, where: serves)
        }
    }

    /// Signs `account` out, and erases everything that the store keeps about it, for a person who asks to be forgotten. The
    /// audit trail stays.
    ///
    /// The session and the records of its last refreshes are erased. If the store has kept copies of damaged records of the
    /// account, these copies are erased too. The following records are erased if they name `account`: revocations that have
    /// not reached the server yet, pauses that servers have demanded, the choice of the active account, and unfinished
    /// sign-ins. For each erased revocation, the event is `session.not_revoked`. A damaged revocation is erased even though it
    /// may be for another account, because it cannot be sent any more; observers receive `store.set_aside`. A store on
    /// PostgreSQL then holds no record with the account's name. Other stores erase the content of a record, but keep its
    /// name, which contains the account's name.
    ///
    /// Without the store's key, the session and the record of its last refresh are still erased, but the records that may
    /// name any account, such as pauses, cannot be read. This method throws an error if there is such a record, or if a
    /// pause or the choice of the active account is damaged. An unfinished sign-in that is damaged or
    /// sealed with another key stays, without an error.
    /// - Throws: as ``signOut(as:)``, and ``/IdentityCore/TokenStoreError``. After an error, call the method again to
    ///   continue.
    public func eraseAccount(_ account: AccountID) async throws {
        try await signOut(as: account)
        try await eraseRecords(of: account)
    }

    /// Erases the records of an account that is signed out already, as ``eraseAccount(_:)`` does, whoever has its provider.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    package func eraseRecords(of account: AccountID) async throws {
        try await ProviderError.classifying {
            try await environment.observedStore.eraseAccount(account) {
                environment.refreshMonitor.report(.notRevoked(account, because: UnsentRevocationError.erased))
            }
        }
    }
}
