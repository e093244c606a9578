import Foundation

/// One renewal, from the decision to the stored result. Read it from top to bottom:
///
/// 1. Take the account's lease, or leave with the result of whoever holds it.
/// 2. Read again: whoever held the lease before may have renewed already.
/// 3. Was this very refresh token sent before, with an unknown end? Then the policy decides.
/// 4. Note durably that it is sent now, then send it.
/// 5. Store the result before anybody gets it. A sign-out or sign-in that came first wins.
struct Renewer: Sendable {
    let records: SessionRecords
    let schedule: RenewalSchedule
    let policy: ReplayPolicy
    let monitor: RenewalMonitor
    let time: TimeSource
    let exchange: ProviderSessions.Exchange
    let discard: ProviderSessions.Discard
    let unstored: UnstoredSessions

    /// Longer than a renewal takes, because a second one must not begin beside it.
    private static let leaseDeadline = Duration.seconds(35)

    private var store: any TokenStore { records.store }
    private var intents: RenewalIntents { RenewalIntents(store: store) }

    // MARK: 1. The lease

    /// A session that `need` is satisfied with.
    /// - Returns: `nil` when somebody else is renewing and `need` does not wait.
    func renew(_ account: AccountID, for need: RenewalNeed) async throws -> StoredSession? {
        let marker = store.marker(for: .account(account))
        var seen: UInt64 = 0
        var backoff = Backoff(deadline: Self.leaseDeadline, longest: .milliseconds(20))
        while true {
            let mark = marker?.value ?? 0
            if mark == 0 || mark != seen {
                let session = try await live(account)
                if !need.wantsRenewal(of: session.credential, schedule, at: time.now) { return session }
                seen = mark
            }
            if let lease = try await store.lease(for: .account(account)) {
                return try await renew(account, for: need, holding: lease)
            }
            guard need != .early else { return nil }
            guard let pause = backoff.next() else { throw SessionError.renewalInProgress(account) }
            try await time.sleep(for: pause)
        }
    }

    private func renew(
        _ account: AccountID, for need: RenewalNeed, holding lease: any StoreLease
    ) async throws -> StoredSession {
        do {
            FaultPoint.reached("lease.held")
            let session = try await decide(account, for: need, holding: lease)
            // A result that is not stored yet keeps the lease until it is.
            if !unstored.holds(account) { await lease.release() }
            return session
        } catch {
            await lease.release()
            throw error
        }
    }

    // MARK: 2. and 3. The decision

    private func decide(
        _ account: AccountID, for need: RenewalNeed, holding lease: any StoreLease
    ) async throws -> StoredSession {
        let session = try await live(account)
        guard need.wantsRenewal(of: session.credential, schedule, at: time.now) else { return session }
        guard let refreshToken = session.credential.refreshToken else { throw SessionError.cannotRenew(account) }
        let entry = try await intents.entry(for: account)
        let earlier = entry.intent?.generation == session.generation ? entry.intent : nil
        let isUsable = session.credential.isValid(at: time.now) && !need.rejects(session.credential)
        if let refusal = earlier?.refusal, refusal.pauses(at: time.now) {
            guard isUsable else { throw refusal.error(for: account) }
            return session
        }
        switch policy.verdict(on: earlier, isAccessTokenUsable: isUsable, at: time.now) {
        case .wait:
            return session
        case .giveUp:
            return try await conclude(
                account, session, lease, because: "It was being renewed, and no answer came that could be used.")
        case .send(let attempt):
            let intent = RenewalIntent(
                generation: session.generation, attempt: attempt, sentAt: time.now, token: refreshToken,
                refusal: earlier?.refusal)
            return try await monitor.guarding {
                let noted = try await intents.write(intent, for: account, replacing: entry)
                FaultPoint.reached("intent.noted")
                let note = Note(intent: intent, earlier: earlier, entry: noted)
                return try await send(account, session, lease, note)
            }
        }
    }

    // MARK: 4. The request

    /// What was noted of the request, and what was known before it.
    private struct Note {
        let intent: RenewalIntent
        let earlier: RenewalIntent?
        let entry: RenewalIntents.Entry
    }

    private func send(
        _ account: AccountID, _ session: StoredSession, _ lease: any StoreLease, _ note: Note
    ) async throws -> StoredSession {
        let answer: RenewalAnswer
        do {
            answer = try await exchange(session.credential)
        } catch let error as TransportError where error.wasNeverSent {
            answer = .unspent(error)
        }
        FaultPoint.reached("exchange.answered")
        switch answer {
        case .renewed(let renewed, let dropped):
            let renewed = try await commit(renewed, account, session, lease)
            if let dropped { monitor.report(.droppedIDToken(account, because: dropped)) }
            return renewed
        case .refused(let reason):
            return try await conclude(account, session, lease, because: reason)
        case .ambiguous(let error, let kind):
            let refusal = RefreshRefusal(.ambiguous, error, kind: kind, at: time.now, after: note.intent.refusal)
            if refusal.confirms(note.intent.refusal) {
                return try await conclude(
                    account, session, lease, because: "The server refused its refresh token again (\(refusal.kind)).")
            }
            await remember(refusal, for: account, note)
            throw error
        case .misconfigured(let error):
            let refusal = RefreshRefusal(.misconfigured, error, at: time.now, after: note.intent.refusal)
            await remember(refusal, for: account, note)
            if refusal.isToBeReported { monitor.report(.misconfigured(account, because: error)) }
            throw error
        case .unspent(let error):
            // Certainly not sent: what was known before holds again.
            _ = try? await intents.write(note.earlier, for: account, replacing: note.entry)
            throw error
        }
    }

    private func remember(_ refusal: RefreshRefusal, for account: AccountID, _ note: Note) async {
        // Where that cannot be written the token counts as in doubt, which is the safer mistake.
        let answered = note.intent.answered(with: refusal, knownBefore: note.earlier)
        _ = try? await intents.write(answered, for: account, replacing: note.entry)
    }

    // MARK: 5. The result

    private func commit(
        _ answer: Credential, _ account: AccountID, _ session: StoredSession, _ lease: any StoreLease
    ) async throws -> StoredSession {
        let renewed = answer.succeeding(session.credential)
        let content = try SessionRecord.live(renewed).encoded()
        do {
            let record = try await lease.write(content, replacing: session.generation)
            monitor.report(.renewed(account))
            return StoredSession(generation: record.generation, credential: renewed)
        } catch TokenStoreError.conflict(_, let current) {
            // A sign-out or a new sign-in came first and wins. Where the session is still the same, this process was
            // away for longer than its lease: what the next holder makes of the token counts, and revoking could end it.
            if current != session.generation { await discard(renewed) }
            return try await overtaken(account)
        } catch {
            // The old token is spent, so the new one is all there is: it is used now and stored as soon as that works.
            let unsaved = StoredSession(generation: session.generation, credential: renewed)
            unstored.keep(unsaved, account, content, lease, discarding: discard, monitor, time)
            monitor.report(.notStored(account, because: error))
            return unsaved
        }
    }

    /// Ends the session in the store, unless somebody changed it meanwhile: then the refused token was no longer the
    /// current one, and its refusal says nothing.
    private func conclude(
        _ account: AccountID, _ session: StoredSession, _ lease: any StoreLease, because reason: String
    ) async throws -> StoredSession {
        let ended = EndedSession(
            reason: reason, signedInAt: session.credential.signedInAt, profile: session.credential.profile)
        do {
            try await lease.write(SessionRecord.ended(ended).encoded(), replacing: session.generation)
        } catch TokenStoreError.conflict {
            return try await overtaken(account)
        }
        throw SessionError.ended(account, reason: ended.reason)
    }

    /// What somebody else has made of the session meanwhile.
    private func overtaken(_ account: AccountID) async throws -> StoredSession {
        let session = try await live(account)
        guard session.credential.isValid(at: time.now) else { throw SessionError.renewalInProgress(account) }
        return session
    }

    /// The session in the store, or the newer one that could not be stored yet.
    func live(_ account: AccountID) async throws -> StoredSession {
        let stored = try await records.live(account)
        return unstored.session(account, at: stored.generation) ?? stored
    }
}

/// Why a token is to be replaced.
enum RenewalNeed: Hashable, Sendable {
    /// There is time: nobody waits for anybody, and a failure is nobody's problem.
    case early
    /// It expires, or has expired.
    case due
    /// A resource server refused this one.
    case rejected(Secret)

    /// Whether `credential` is one to be replaced.
    func wantsRenewal(of credential: Credential, _ schedule: RenewalSchedule, at now: Date) -> Bool {
        let urgency = schedule.urgency(of: credential, at: now)
        switch self {
        case .early: return urgency != .none
        case .due: return urgency == .due
        case .rejected: return urgency == .due || rejects(credential)
        }
    }

    func rejects(_ credential: Credential) -> Bool {
        self == .rejected(credential.accessToken)
    }
}

extension Credential {
    /// This credential as the next one of the same session: what a backend did not repeat stays, such as a refresh token
    /// that was not rotated (RFC 6749, section 6) or the person's name, and what a later version of this library stored with it.
    fileprivate func succeeding(_ previous: Credential) -> Credential {
        var next = self
        next.refreshToken = refreshToken ?? previous.refreshToken
        next.profile = profile.completed(with: previous.profile)
        next.unknownMembers = previous.unknownMembers.merging(unknownMembers) { _, new in new }
        return next
    }
}
