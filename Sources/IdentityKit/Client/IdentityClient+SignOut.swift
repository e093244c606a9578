extension IdentityClient {
    /// Ends the session of `account`, or of the active one. After that, an account whose session had ended is no longer
    /// active.
    ///
    /// ``events()`` reports the end as soon as the session is erased locally. Then the backend is informed, for at most
    /// five seconds; after a failure, any program that uses the store tries again later.
    ///
    /// Without the store's key nothing can be revoked. If the active account is then unknown, the only account of the
    /// store is signed out.
    /// - Throws: when the local session could not be ended, or no provider has the account's realm;
    ///   ``ClientError/accountRequired`` when a client without an active account is given none.
    public func signOut(as account: AccountID? = nil) async throws { try await signOut(as: account) {} }

    /// Signs out as ``signOut(as:)`` does, and calls `onceOver` as soon as the session has ended locally.
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
                    // A sign-in since then began another session, even of the same person.
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
            return try await environment.store.onlySealedAccount(because: error, where: answers)
        }
    }

    /// Signs `account` out and erases everything that the store keeps about it, for a person who asks to be forgotten:
    /// `TokenStore/eraseAccount(_:)`. Revocations that have not reached the server yet are dropped.
    /// - Throws: as ``signOut(as:)``, and ``/IdentityCore/TokenStoreError``. After an error, call it again to continue.
    public func eraseAccount(_ account: AccountID) async throws {
        try await signOut(as: account)
        try await environment.store.eraseAccount(account)
    }
}
