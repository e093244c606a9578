/// Determines the audience of a token for a resource when the token does not name its audience. The server is asked
/// only after the token is stored. An earlier request would delay storing while the stored refresh token is spent.
extension TokenRefresher {
    /// Asks the server for the audience of the token of `key`. If the answer names the resource of `key`, stores the token
    /// under `key`. Otherwise, `key` counts as refused. The token is then stored for the resource that the answer names, or
    /// removed if the answer does not name exactly one resource.
    /// - Returns: the session with the stored answer, a newer one that another process stored meanwhile, or the unchanged
    ///   session if there is nothing to ask.
    /// - Throws: the error of the request to the server, after which the next caller asks again;
    ///   ``/IdentityCore/SessionError``, ``/IdentityCore/TokenStoreError``.
    func proven(_ session: StoredSession, _ record: LeasedRecord, for key: TokenKey?) async throws -> StoredSession {
        guard let token = session.credential.unproven(key), let audience = backend.audience,
            !unstored.holds(record.account)
        else { return session }
        let context = RefreshContext(transport, before: record.deadline.forVerification, noting: nil)
        let names = try await audience(token, session.credential, context)
        var proven = session.credentialKeepingTokens
        let isAnswer = names?.contains { $0.hasBytes(of: token.key?.resource ?? "") } ?? false
        proven.file(token, for: names, isAnswer: isAnswer, at: time.now)
        do {
            let content = try SessionRecord.live(session.all(with: proven)).encoded()
            let written = try await record.write(content, replacing: session.generation, isLast: false)
            return session.next(proven, storedAs: written.generation)
        } catch TokenStoreError.conflict {
            return try await live(record.account).of(session.grant) ?? session
        }
    }
}

extension Credential {
    /// The token of `key`, if its audience still has to be requested; otherwise `nil`.
    func unproven(_ key: TokenKey?) -> ResourceToken? {
        key.flatMap { key in tokens.first { $0.key == key && $0.isUnproven } }
    }
}
