extension IdentityClient {
    /// Ends the session of `account`, or of the active one. After that, an account whose session had ended is no longer
    /// active.
    ///
    /// ``events()`` tells it as soon as the session is over here. Then its backend is told, within five seconds or, by
    /// whatever uses the store, later.
    ///
    /// Without the store's key nothing can be revoked. Where it is not known then which account is active, the only one of
    /// the store is signed out.
    /// - Throws: when the local session could not be ended, or no provider has the account's realm;
    ///   ``ClientError/accountRequired`` when a client without an active account is given none.
    public func signOut(as account: AccountID? = nil) async throws { try await signOut(as: account) {} }

    /// ``signOut(as:)``. `onceOver` is called as soon as the session is over here.
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
                    // A sign-in since then is another session, also of the same person.
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
    /// `TokenStore/eraseAccount(_:)`. A revocation that its server could not be told yet is given up.
    /// - Throws: as ``signOut(as:)``, and ``/IdentityCore/TokenStoreError``. Calling it again goes on.
    public func eraseAccount(_ account: AccountID) async throws {
        try await signOut(as: account)
        try await environment.store.eraseAccount(account)
    }
}
