extension TokenRefresher {
    /// Adds an authorization to a session while holding the session's lease, so that no refresh runs at the same time.
    /// - Returns: the grants that the authorization replaced, and all grants of the session afterwards.
    /// - Throws: ``/IdentityCore/SessionError``, such as ``/IdentityCore/SessionError/refreshInProgress(_:)`` when the
    ///   lease is not free within 45 seconds; ``/IdentityCore/TokenStoreError``; `CancellationError`.
    func add(
        _ authorization: Credential, to account: AccountID
    ) async throws -> (replaced: [Credential], left: [Credential]) {
        try await Backoff.result(
            within: Self.leaseDeadline, to: .milliseconds(100), orThrow: SessionError.refreshInProgress(account),
            whereErrorPasses: { error, _ in
                if case TokenStoreError.conflict? = error as? TokenStoreError { true } else { false }
            },
            pausing: { try await time.sleep(for: $0) }
        ) {
            guard let lease = try await records.store.lease(for: .account(account)) else { return nil }
            return try await lease.releasing {
                let session = try await live(account)
                var next = session.credentialKeepingTokens
                let replaced = next.add(authorization)
                let content = try SessionRecord.live(next).encoded()
                _ = try await SessionAction.refresh.whileWriting {
                    try await lease.writeLast(content, replacing: session.generation)
                }
                return (replaced, next.grantsApart)
            }
        }
    }
}
