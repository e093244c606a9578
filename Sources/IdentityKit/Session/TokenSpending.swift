/// A request that sends a session's refresh token and is no refresh, such as an exchange for another token (RFC 8693).
final class TokenSpending: Hashable, Sendable {
    let send: SessionBackend.Refresh

    init(_ send: @escaping SessionBackend.Refresh) { self.send = send }

    static func == (left: TokenSpending, right: TokenSpending) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ProviderSessions {
    /// Sends a session's refresh token in another request than a refresh, with the lease and the note of one: it is sent neither
    /// twice nor beside a refresh, and a doubt about one is a doubt about the other.
    /// - Parameters:
    ///   - account: the account of the session.
    ///   - send: sends it with ``RefreshContext/spending``, and returns what the server answered, errors included: the session's
    ///     refresh token is as good as before. An error that is thrown leaves it in doubt once it was sent.
    /// - Throws: ``/IdentityCore/SessionError``, also while it is in doubt; ``/IdentityCore/TokenStoreError``, and the error of
    ///   the server.
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
            // Storing the session clears the note.
            return .refreshed(credential)
        }
        _ = try await refresher.refresh(account, for: .spending(spending))
        cache.forget(account)
        guard let answer = answered.withLock({ $0 }) else { throw SessionError.refreshInProgress(account) }
        return try answer.get()
    }
}
