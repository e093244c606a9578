/// Determines the audience of a token for a resource that does not contain it, by asking the server after the token is
/// stored. Asking earlier would delay storing, although the old refresh token is spent.
extension TokenRefresher {
    /// The session, with the token of `key` stored under the resource that it is really for.
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
    /// The token of `key`, if its audience still has to be requested; otherwise `nil`.
    func unproven(_ key: TokenKey?) -> ResourceToken? {
        key.flatMap { key in tokens.first { $0.key == key && $0.isUnproven } }
    }
}
