/// A request other than a refresh that sends a session's refresh token, such as a token exchange (RFC 8693).
final class TokenSpending: Hashable, Sendable {
    let send: SessionBackend.Refresh

    init(_ send: @escaping SessionBackend.Refresh) { self.send = send }

    static func == (left: TokenSpending, right: TokenSpending) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ProviderSessions {
    /// Sends a session's refresh token in a request other than a refresh. As for a refresh, this process holds the lease, and
    /// stores a note (``RefreshIntent``) before the token is sent. Therefore, the token is neither sent twice nor sent during a
    /// refresh. If the outcome of the request is unknown, refreshes too treat the token as possibly spent.
    /// - Parameters:
    ///   - account: the account of the session.
    ///   - send: sends the token with ``RefreshContext/spending``, and returns the server's answer, which may be an error.
    ///     After any answer the refresh token counts as still valid. After a thrown error, a token that was sent counts as
    ///     possibly spent.
    /// - Throws: ``/IdentityCore/SessionError``, also while the token counts as possibly spent;
    ///   ``/IdentityCore/TokenStoreError``, `CancellationError`, the server's error that `send` returns, and an error
    ///   that `send` throws.
    package func spendingRefreshToken<Value: Sendable>(
        of account: AccountID,
        _ send: @escaping @Sendable (Credential, RefreshContext) async throws -> Result<Value, any Error>
    ) async throws -> Value {
        let session = try await refresher.live(account)
        try checkEnd(of: session, account)
        if let suspension = session.credential.suspension { throw SessionError.suspended(account, suspension) }
        let answered = Locked<Result<Value, any Error>?>(nil)
        let spending = TokenSpending { credential, context in
            let answer = try await send(credential, context)
            answered.withLock { $0 = answer }
            // Storing the unchanged session gives it a new generation, which makes the note obsolete.
            return .refreshed(credential)
        }
        _ = try await refresher.refresh(account, for: .spending(spending))
        cache.forget(account)
        guard let answer = answered.withLock({ $0 }) else { throw SessionError.refreshInProgress(account) }
        return try answer.get()
    }
}
