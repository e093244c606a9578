/// A token for a resource that does not say itself what it is for: its server is asked, once the token is stored. Before that
/// nothing may wait, because the refresh token is spent.
extension TokenRefresher {
    /// The session, in which the token of `key` is filed under what it is for.
    /// - Throws: what asking the server throws; the next caller asks again.
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
    /// The token of `key` whose audience its server is still to be asked for.
    func unproven(_ key: TokenKey?) -> ResourceToken? {
        key.flatMap { key in tokens.first { $0.key == key && $0.isUnproven } }
    }
}
