import Foundation

/// Handles a refused access token in a session without a refresh token. A resource cannot end a session, so this
/// process asks the issuer about the token. If the issuer has no endpoint for that, the person has to sign in.
extension TokenRefresher {
    /// Asks the issuer about the access token. A suspended session is resumed if the issuer accepts its token. The
    /// session is suspended if the issuer rejects the token or has no endpoint for the question. After the second
    /// rejection, the session ends.
    /// - Returns: the resumed session, or a newer one that another process stored meanwhile.
    /// - Throws: ``/IdentityCore/SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)`` for a `need` of a
    ///   token for a resource, about which the issuer is not asked. ``/IdentityCore/SessionError/cannotRefresh(_:)``
    ///   for a session that is not suspended, if no resource refused its token or the issuer accepts the token. Other
    ///   cases of `SessionError` for a session that is suspended now, has ended or has changed.
    ///   ``/IdentityCore/TokenStoreError``, `CancellationError`, `TransportError.notSentInTime(host:)` at the deadline
    ///   of the refresh, and the error of the request to the issuer.
    func inquire(
        _ session: StoredSession, _ record: LeasedRecord, for need: RefreshNeed
    ) async throws -> StoredSession {
        let (account, credential) = (record.account, session.credential)
        if let resource = need.wish?.resource {
            throw SessionError.resourceNotGranted(
                account, resource: resource, reason: "There is no refresh token to ask for one with.", nextAttempt: nil)
        }
        guard need.rejects(credential) || credential.suspension != nil else {
            throw SessionError.cannotRefresh(account)
        }
        switch try await isTaken(credential, before: record.deadline) {
        case nil: try await suspend(session, record, refusal(of: credential, retries: .never))
        case true?:
            guard credential.suspension != nil else { throw SessionError.cannotRefresh(account) }
            return try await resume(session, record)
        case false? where credential.refusedAt != nil:
            return try await conclude(session, record, because: "The server no longer accepts its access token.")
        case false?:
            let refused = session.next(credential.refused(at: time.now), storedAs: nil)
            try await suspend(refused, record, refusal(of: credential, retries: .soon))
        }
    }

    private func isTaken(_ credential: Credential, before deadline: Deadline) async throws -> Bool? {
        guard let inquire = backend.inquire else { return nil }
        return try await deadline.run(orThrow: TransportError.notSentInTime(host: "the issuer")) {
            try await inquire(credential)
        }
    }

    private func refusal(of credential: Credential, retries: Suspension.Retries) -> Suspension {
        Suspension(
            "access_token_refused", because: "Its access token was refused, and there is nothing to refresh it with.",
            retries: retries, at: time.now, after: credential.suspension)
    }

    private func resume(_ session: StoredSession, _ record: LeasedRecord) async throws -> StoredSession {
        var resumed = session.credentialKeepingTokens
        (resumed.suspension, resumed.refusedAt) = (nil, nil)
        let content = try SessionRecord.live(resumed).encoded()
        let written = try await record.write(content, replacing: session.generation, isLast: true)
        await reportResumed(record.account)
        return session.next(resumed, storedAs: written.generation)
    }
}

extension Credential {
    fileprivate func refused(at now: Date) -> Credential {
        var refused = self
        refused.refusedAt = now
        return refused
    }
}
