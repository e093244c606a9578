import Foundation

/// Step 5 of a refresh: stores and verifies the result, or suspends or ends the session. ``TokenRefresher`` lists the
/// steps.
extension TokenRefresher {
    // MARK: Storing

    /// Stores the result, and verifies it afterwards. Nothing may delay storing: the refresh token is spent, and the
    /// session would be lost if the process ended now.
    func commit(
        _ response: Credential, dropping dropped: (any Error)?, for key: TokenKey?, _ session: StoredSession,
        _ record: LeasedRecord
    ) async throws -> Ending {
        var refreshed = response.succeeding(session)
        refreshed.dropOldTokens(at: time.now)
        var attempt = WriteAttempt(
            record, .live(session.all(with: refreshed)), replacing: session.generation, as: .refresh,
            isLast: refreshed.pendingVerification == nil && refreshed.unproven(key) == nil)
        let stored: StoredSession
        do {
            let written = try await attempt.store()
            stored = session.next(refreshed, storedAs: written.generation)
        } catch TokenStoreError.conflict(_, let current) {
            // If another process has meanwhile written the session without new tokens, such as a new profile, merge this
            // result with that write and store it again.
            if let newer = try? await live(record.account).of(session.grant), newer.generation == current,
                current != session.generation, newer.tokensSince == session.tokensSince
            {
                let merged = response.keeping(newer.credential, since: session.credential)
                return try await commit(merged, dropping: dropped, for: key, newer, record)
            }
            // A step-up without a refresh token of its own may meanwhile have stored the session, still with the refresh token
            // that this refresh has spent. Store that session again with the new refresh token.
            if let token = refreshed.refreshToken, token != session.credential.refreshToken, session.grant == nil,
                let newer = try? await live(record.account), newer.generation == current,
                current != session.generation, newer.credential.refreshToken == session.credential.refreshToken
            {
                var kept = newer.credential
                (kept.refreshToken, kept.sessionEndsAt) = (token, refreshed.sessionEndsAt)
                return try await commit(kept, dropping: nil, for: key, newer, record)
            }
            // A changed generation means that another write came first, such as a sign-out or a new sign-in, which
            // takes precedence. An unchanged generation means that another process has taken over the lease while the
            // system had suspended this process.
            if current != session.generation {
                await discardOvertaken(refreshed, of: session.grant, account: record.account)
            }
            return (try await overtaken(record.account, session.grant), .lost)
        } catch {
            return try await use(refreshed, unstoredBecause: error, attempt, session, record, for: key)
        }
        unstored.drop(record.account)
        monitor.report(.refreshed(record.account, resource: key?.resource, grant: session.grant))
        if session.credential.suspension != nil { await reportResumed(record.account) }
        if let dropped { monitor.report(.droppedIDToken(record.account, because: dropped)) }
        return (try await proven(verified(stored, record, for: key), record, for: key), .stored)
    }

    /// Returns the new session although it could not be stored, because the refresh token of the stored session is spent.
    /// Storing is repeated in the background. If the backend refuses the new session, ends the stored one instead.
    /// - Throws: the error of verifying the session, if that failed. If the backend refuses the session,
    ///   ``/IdentityCore/SessionError``, ``/IdentityCore/TokenStoreError`` or `CancellationError`.
    private func use(
        _ refreshed: Credential, unstoredBecause reason: any Error, _ attempt: WriteAttempt, _ session: StoredSession,
        _ record: LeasedRecord, for key: TokenKey?
    ) async throws -> Ending {
        var usable = refreshed
        var doubt: (any Error)?
        if refreshed.pendingVerification != nil {
            var verdict: RefreshVerification?
            do {
                verdict = try await verification(of: refreshed, record)
            } catch {
                doubt = error
            }
            switch verdict {
            case .verified(let credential, _)?: usable = credential
            case .refused(let reason)?:
                return (try await conclude(session, record, because: reason, for: key), .elsewhere)
            case nil: break
            }
        }
        let unsaved = session.next(usable, storedAs: nil, isSpent: true)
        keepUnstored(unsaved, because: reason, attempt)
        // If the verification failed, the next caller verifies the kept session before it uses the access token.
        if let doubt { throw doubt }
        return (unsaved, .notStored(reason))
    }

    private func keepUnstored(_ session: StoredSession, because reason: any Error, _ attempt: WriteAttempt) {
        let account = attempt.record.account
        unstored.keep(session.all, after: attempt, monitor: monitor) { [session] in
            await discardOvertaken(session.credential, of: session.grant, account: account)
        }
        monitor.report(.notStored(account, because: reason))
    }

    /// Stores a new refresh token beside the former access token, and then a note that forbids sending the refresh
    /// token during `pause`.
    /// - Throws: `TokenStoreError`, also when another process has replaced the record; `CancellationError`.
    func keep(
        _ kept: Credential, until pause: RefreshPause, _ session: StoredSession, _ record: LeasedRecord
    ) async throws {
        let next = kept.succeeding(session)
        guard let refreshToken = next.refreshToken else { return }
        var attempt = WriteAttempt(
            record, .live(session.all(with: next)), replacing: session.generation, as: .refresh, isLast: false)
        let written: StoreRecord
        do {
            written = try await attempt.store()
        } catch let error where !error.isOvertaking(session.generation) {
            keepUnstored(session.next(next, storedAs: nil, isSpent: true), because: error, attempt)
            return
        }
        let stored = session.next(next, storedAs: written.generation)
        let intents = RefreshIntents(store: records.store, grant: session.grant)
        let note = RefreshIntent(generation: stored.tokensSince, sentAt: time.now, token: refreshToken)
            .unspent(until: pause, knownBefore: nil)
        let entry = try await intents.entry(for: record.account, at: time.now)
        _ = try? await intents.write(note, for: record.account, replacing: entry)
    }

    // MARK: Verifying

    /// Verifies the session if its verification is pending, perhaps because an earlier process died before it.
    /// - Returns: the verified session, or a newer one that another process stored meanwhile.
    /// - Throws: ``/IdentityCore/SessionError`` if the backend refuses the session, which then ends or is suspended, or
    ///   if another process has ended it; ``/IdentityCore/TokenStoreError``, `CancellationError`, and the error of the
    ///   verification.
    func verified(
        _ session: StoredSession, _ record: LeasedRecord, for key: TokenKey?
    ) async throws -> StoredSession {
        guard session.credential.pendingVerification != nil else { return session }
        FaultPoint.reached("result.stored")
        switch try await verification(of: session.credential, record) {
        case .refused(let reason):
            return try await conclude(session, record, because: reason, for: key)
        case .verified(let credential, let dropped):
            if let dropped { monitor.report(.droppedIDToken(record.account, because: dropped)) }
            do {
                let content = try SessionRecord.live(session.all(with: credential)).encoded()
                let written = try await record.write(content, replacing: session.generation, isLast: false)
                return session.next(credential, storedAs: written.generation)
            } catch TokenStoreError.conflict {
                return try await overtaken(record.account, session.grant)
            } catch {
                // The record still has the pending verification, so other processes verify the session again.
                return session.next(credential, storedAs: nil)
            }
        }
    }

    private func verification(of credential: Credential, _ record: LeasedRecord) async throws -> RefreshVerification {
        guard let verify = backend.verify else { throw SessionError.cannotRefresh(record.account) }
        return try await verify(
            credential, RefreshContext(transport, before: record.deadline.forVerification, noting: nil))
    }

    // MARK: Refused

    /// Marks the requested resource as refused, and drops expired tokens for resources. The session's own tokens are
    /// unchanged, and the former note about the refresh token is restored.
    /// - Throws: `error` if no resource was requested.
    func refuse(
        _ session: StoredSession, _ record: LeasedRecord, _ note: RefreshNote, because error: any Error
    ) async throws -> Ending {
        guard let key = note.key else { throw error }
        await note.takeBackAnswered()
        var marked = session.credentialKeepingTokens
        marked.refuse(KeyRefusal(key: key, reason: error.scrubbedMessage + TokensByResource.advice, since: time.now))
        marked.dropOldTokens(at: time.now)
        var written: StoreRecord?
        // If this cannot be stored, the next caller asks the server again.
        if !unstored.holds(record.account),
            let content = try? SessionRecord.live(session.all(with: marked)).encoded()
        {
            written = try? await record.write(content, replacing: session.generation, isLast: true)
        }
        return (session.next(marked, storedAs: written?.generation), .failed(error))
    }

    // MARK: Suspended, ended, or overtaken

    /// Suspends the session in the store, unless it has changed meanwhile. Its tokens and the note about its refresh token
    /// are kept. A further grant is suspended without the rest of the session.
    /// - Throws: ``/IdentityCore/SessionError`` with the suspension;
    ///   ``/IdentityCore/SessionError/refreshInProgress(_:)`` when the session has changed; another
    ///   ``/IdentityCore/SessionError`` when there is no session any more; ``/IdentityCore/TokenStoreError``;
    ///   `CancellationError`.
    func suspend(
        _ session: StoredSession, _ record: LeasedRecord, _ suspension: Suspension, for key: TokenKey? = nil
    ) async throws -> Never {
        var suspended = session.credentialKeepingTokens
        suspended.suspension = suspension
        do {
            var attempt = WriteAttempt(
                record, .live(session.all(with: suspended)), replacing: session.generation, as: .suspend, isLast: true)
            _ = try await attempt.store()
        } catch TokenStoreError.conflict {
            _ = try await overtaken(record.account, session.grant)
            throw SessionError.refreshInProgress(record.account)
        }
        if session.credential.suspension == nil, session.grant == nil {
            monitor.report(.suspended(record.account, suspension))
            await records.store.writeCurrentAgain(of: record.account)
        }
        throw session.error(of: suspension, record.account, for: key)
    }

    /// Informs observers and clients that the session no longer needs a sign-in.
    func reportResumed(_ account: AccountID) async {
        monitor.report(.resumed(account))
        await records.store.writeCurrentAgain(of: account)
    }

    /// Ends the grant in the store. When the last grant ends, the session ends. A session that keeps further grants is
    /// suspended instead when its first grant ends.
    /// - Returns: the session that is stored now, if the record has changed meanwhile and the refused token is therefore
    ///   no longer the current one.
    /// - Throws: ``/IdentityCore/SessionError`` about the end or the suspension; ``/IdentityCore/TokenStoreError``;
    ///   `CancellationError`.
    func conclude(
        _ session: StoredSession, _ record: LeasedRecord, because reason: String, for key: TokenKey? = nil
    ) async throws -> StoredSession {
        let rest = session.all(with: session.grant == nil ? session.credential : nil)
        if session.grant == nil, !rest.grants.isEmpty {
            // The session's own token now needs a sign-in, but the tokens of other grants stay in use.
            try await suspend(session, record, Suspension(ofEndedGrant: reason, at: time.now))
        }
        let isLast = rest.grants.isEmpty && (session.grant == nil || rest.suspension?.isOfEndedGrant == true)
        let ended = EndedSession(
            endReason: reason, signedInAt: rest.signedInAt, profile: rest.profile, backend: rest.backend)
        do {
            var attempt = WriteAttempt(
                record, isLast ? .ended(ended) : .live(rest), replacing: session.generation,
                as: isLast ? .end : .refresh, isLast: true)
            _ = try await attempt.store()
        } catch TokenStoreError.conflict {
            return try await overtaken(record.account, session.grant)
        }
        guard isLast else { throw session.error(ofEnd: reason, record.account, for: key) }
        await records.store.writeCurrentAgain(of: record.account)
        throw SessionError.ended(record.account, reason: ended.endReason)
    }

    /// The stored session, which another process or a new sign-in may have replaced during the refresh.
    /// - Throws: ``/IdentityCore/SessionError`` when there is no session, its grant is gone, or the access token of the
    ///   first grant cannot be used; ``/IdentityCore/TokenStoreError``.
    private func overtaken(_ account: AccountID, _ grant: String?) async throws -> StoredSession {
        guard let session = try await live(account).of(grant),
            grant != nil || session.credential.isUsable(at: time.now)
        else { throw SessionError.refreshInProgress(account) }
        return session
    }

    /// Revokes the tokens of a result that was not stored, unless that could end the session that is stored instead.
    private func discardOvertaken(_ refreshed: Credential, of grant: String?, account: AccountID) async {
        do {
            let current = try await records.live(account).credential
            if let grant, current.grants.contains(where: { $0.id == grant }) { return }
            guard current.signedInAt != refreshed.signedInAt, backend.areIndependent(refreshed, current) else { return }
        } catch is SessionError {
            // The account has signed out, its session has ended, or another backend's session is stored.
        } catch {
            // The stored session cannot be read, so revoke nothing: an unused token that stays valid does less harm
            // than a session that ends.
            return
        }
        await backend.discard(refreshed)
    }
}

extension Credential {
    /// Returns this response with the profile and the details of `newer`, which another process has written.
    /// - Parameter known: the credential before the refresh. Values of the response that differ from it take precedence
    ///   over those of `newer`.
    fileprivate func keeping(_ newer: Credential, since known: Credential) -> Credential {
        var merged = self
        merged.details = details.filter { known.details[$0.key] != $0.value }.merging(newer.details) { own, _ in own }
        if profile == known.profile { merged.profile = newer.profile }
        return merged
    }

    /// The successor of `session`: this response, completed with values that it did not repeat. These are a refresh
    /// token that was not rotated (RFC 6749 section 6), the profile, the authorized scopes and resources, the session's
    /// number, grants, tokens and refusals for resources, and members that a later version of this library stored. A
    /// suspension and a rejection by the issuer are removed.
    fileprivate func succeeding(_ session: StoredSession) -> Credential {
        let previous = session.credential
        var next = self
        next.refreshToken = refreshToken ?? previous.refreshToken
        next.profile = profile.completed(with: previous.profile)
        (next.suspension, next.refusedAt) = (nil, nil)
        next.tokensSince = session.grant == nil ? nil : session.tokensSince + 1
        next.sessionNumber = previous.sessionNumber
        (next.grants, next.agreedResources) = (previous.grants, previous.agreedResources)
        // Keep the authorized scopes, and the tokens for resources, where the response brings no others.
        next.agreedScopes = agreedScopes ?? previous.agreedScopes ?? (scopes == previous.scopes ? nil : previous.scopes)
        if tokens.isEmpty { next.tokens = previous.tokens }
        if refusals.isEmpty { next.refusals = previous.refusals }
        next.unknownMembers = previous.unknownMembers.merging(unknownMembers) { _, new in new }
        return next
    }
}
