import Foundation

/// Step 5 of a refresh: storing the result.
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
            // If a concurrent write kept the tokens, such as one of another process's profile, this result is still the
            // only one.
            if let newer = try? await live(record.account).of(session.grant), newer.generation == current,
                current != session.generation, newer.tokensSince == session.tokensSince
            {
                let merged = response.keeping(newer.credential, since: session.credential)
                return try await commit(merged, dropping: dropped, for: key, newer, record)
            }
            // A sign-out or a new sign-in came first and takes precedence. If the session is still the same, this
            // process was suspended for longer than its lease, and the result of the next holder is used.
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

    /// Uses the new session, because the old token is spent, and stores it as soon as possible.
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
        // Leave the verification to the next caller, before the token is handed out.
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

    /// Stores a new refresh token while keeping the former access token, and notes that it is not sent during `pause`.
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

    /// The session after verification, which may have been left undone by a process that died.
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
                // Other processes that read the record verify it again.
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

    /// Marks the requested resource as refused. Tokens, and the state of the refresh token, are unchanged.
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

    /// Suspends the session in the store, keeping its tokens and their state, unless it has changed meanwhile. A
    /// further grant is suspended on its own.
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

    /// Ends the grant in the store, and with the last grant the session, unless it has changed meanwhile: in that case
    /// the refused token was no longer the current one.
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
        throw SessionError.ended(record.account, reason: SessionEndReason(ended.endReason))
    }

    /// The session that another process or a new sign-in stored during the refresh.
    /// - Throws: ``/IdentityCore/SessionError``.
    private func overtaken(_ account: AccountID, _ grant: String?) async throws -> StoredSession {
        guard let session = try await live(account).of(grant),
            grant != nil || session.credential.isUsable(at: time.now)
        else { throw SessionError.refreshInProgress(account) }
        return session
    }

    /// Revokes an unused result, unless that could end the session that is stored instead.
    private func discardOvertaken(_ refreshed: Credential, of grant: String?, account: AccountID) async {
        do {
            let current = try await records.live(account).credential
            if let grant, current.grants.contains(where: { $0.id == grant }) { return }
            guard current.signedInAt != refreshed.signedInAt, backend.areIndependent(refreshed, current) else { return }
        } catch is SessionError {
            // The account has signed out, or the session has ended.
        } catch {
            // Unknown state: a token that stays valid is the lesser evil.
            return
        }
        await backend.discard(refreshed)
    }
}

extension Credential {
    /// Merges the response with `newer`, which another process has written. Where the response differs from `known`, it
    /// takes precedence.
    fileprivate func keeping(_ newer: Credential, since known: Credential) -> Credential {
        var merged = self
        merged.details = details.filter { known.details[$0.key] != $0.value }.merging(newer.details) { own, _ in own }
        if profile == known.profile { merged.profile = newer.profile }
        return merged
    }

    /// Makes this credential the successor in the same session. It keeps everything that the response did not repeat,
    /// such as a refresh token that was not rotated (RFC 6749 section 6) or the user's name, and members that a later
    /// version stored.
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
