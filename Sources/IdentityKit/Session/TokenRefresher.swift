import Foundation

/// Refreshes a session, from the decision to the stored result:
///
/// 1. Take the account's lease. If another process holds it, wait for its result. An early refresh does not wait, because the
///    current access token is still valid.
/// 2. Read the record again: the last holder may have refreshed the session, or died before it verified the result.
/// 3. Send nothing during the pause after a failed request. If the outcome of the last request is unknown, the replay
///    policy decides whether to send the refresh token again.
/// 4. Let the backend prepare its request, store a note that the refresh token is about to be sent, then send it.
/// 5. Store the result, verify it, and return it. A sign-out or sign-in that was stored meanwhile takes precedence.
struct TokenRefresher: Sendable {
    let records: SessionRecords
    let backend: SessionBackend
    let schedule: RefreshSchedule
    let monitor: RefreshMonitor
    let time: TimeSource
    let transport: any HTTPTransport
    let unstored = UnstoredSessions()

    /// Longest wait for the lease. A refresh with its write takes less, unless the result cannot be stored.
    static let leaseDeadline = Duration.seconds(45)
    /// Longest pause between attempts to claim the lease. It is short, because a holder that dies wakes no waiters.
    private static let longestPause = Duration.milliseconds(100)

    private var store: any TokenStore { records.store }
    var issuerKey: StoreKey { IssuerPause.key(backend.origin) }

    // MARK: 1. The lease

    /// The result of a refresh: the session to use, and the outcome for observers.
    typealias Ending = (session: StoredSession, outcome: RefreshOutcome)

    /// The result of waiting for the lease: either the lease was taken, or the refresh ended without a new lease. An ending of
    /// `nil` means that another process is refreshing the session, and that this early refresh does not wait for it.
    private enum Turn {
        case lease(any StoreLease)
        case ending(Ending?)
    }

    /// Refreshes the session of `account` for `need`, unless another process has done so since the caller read the
    /// session.
    /// - Returns: the session to use; `nil` when another process refreshes it and `need` does not wait.
    /// - Throws: ``SessionBackend/refusal`` if it is set, ``/IdentityCore/SessionError``,
    ///   ``/IdentityCore/TokenStoreError``, the error of the request or the backend, or `CancellationError` when the task is
    ///   cancelled while it waits.
    func refresh(_ account: AccountID, for need: RefreshNeed) async throws -> StoredSession? {
        if let refusal = backend.refusal {
            let session = try await sessionWithoutRefresh(of: account, for: need)
            guard session == nil, !need.isEarly else { return session }
            throw refusal
        }
        let (start, resource, grant) = (time.now, need.wish?.resource, need.wish?.grant)
        monitor.observers.emit(.refreshBegan(account, resource: resource, grant: grant))
        var outcome = RefreshOutcome.elsewhere
        defer {
            monitor.observers.emit(
                .refreshEnded(
                    account, outcome, duration: time.elapsed(since: start), resource: resource, grant: grant))
        }
        do {
            var ending: Ending?
            do {
                ending = try await leased(account, for: need)
            } catch let error as SessionError {
                // Wait once, without the lease, for a pause that ends within two seconds.
                guard let wait = error.nextAttempt?.timeIntervalSince(time.now), wait <= 2 else { throw error }
                // The pause may have ended while the lease was released.
                if wait > 0 { try await time.sleep(for: .seconds(wait)) }
                ending = try await leased(account, for: need)
            }
            guard let ending else { return nil }
            outcome = ending.outcome
            return ending.session
        } catch SessionError.ended(let account, let reason) {
            outcome = .refused(reason: reason)
            throw SessionError.ended(account, reason: reason)
        } catch {
            outcome = .failed(error)
            throw error
        }
    }

    private func leased(_ account: AccountID, for need: RefreshNeed) async throws -> Ending? {
        switch try await turn(of: account, for: need) {
        case .ending(let ending): return ending
        case .lease(let lease): return try await refresh(account, with: lease, for: need)
        }
    }

    /// Waits for the lease, for ``leaseDeadline`` at most, unless the refresh is early. The wait ends without a new
    /// lease when the stored session makes the refresh unnecessary, or when an unstored session was refreshed with the
    /// lease that this process kept.
    private func turn(of account: AccountID, for need: RefreshNeed) async throws -> Turn {
        let marker = store.marker(for: .account(account))
        var seen: UInt64 = 0
        // If this process keeps a refreshed session that could not be stored, that session is newer than the caller's.
        var mayHaveChanged = unstored.holds(account)
        var waitsSince: Date?
        defer {
            if let start = waitsSince {
                monitor.observers.emit(.store(StoreEvent(.waited(time.elapsed(since: start)), .account(account))))
            }
        }
        // The kernel can wait only by the system's clock, not by that of a test.
        let waker = time.isSystem ? marker as? any AwaitableStoreVersion : nil
        var value: UInt64 = 0
        return try await Backoff.result(
            within: Self.leaseDeadline, from: waker == nil ? .milliseconds(1) : Self.longestPause,
            to: waker == nil ? .milliseconds(20) : Self.longestPause, orThrow: SessionError.refreshInProgress(account),
            pausing: { try await wait(for: waker, toChangeFrom: value, atMost: $0) }
        ) { () -> Turn? in
            value = marker?.value ?? 0
            if mayHaveChanged, value == 0 || value != seen {
                if let session = try await sessionWithoutRefresh(of: account, for: need) {
                    return .ending((session, .elsewhere))
                }
                seen = value
            }
            mayHaveChanged = true
            // For an unstored session, this process holds the lease already.
            if let ending = try await unstored.lending(account, { try await refresh(account, with: $0, for: need) }) {
                return .ending(ending)
            }
            if let lease = try await store.lease(for: .account(account)) { return .lease(lease) }
            guard !need.isEarly else { return .ending(nil) }
            waitsSince = waitsSince ?? time.now
            return nil
        }
    }

    /// The session that the caller gets without a refresh; `nil` when the session has to be refreshed.
    private func sessionWithoutRefresh(of account: AccountID, for need: RefreshNeed) async throws -> StoredSession? {
        // If the session no longer has the requested grant, return the whole session, so that the caller chooses another
        // grant.
        let whole = try await live(account)
        let session = whole.of(need.wish?.grant) ?? whole
        let isToBeRefreshed =
            session.grant == need.wish?.grant && need.wantsRefresh(of: session.credential, schedule, at: time.now)
        return isToBeRefreshed ? nil : session
    }

    /// Waits until the holder of the lease stores its result or releases the lease. Both wake the waiters. A holder
    /// that dies wakes nobody, so the wait ends after `pause` at the latest. Without `waker`, or if `waker` cannot
    /// wait, the wait lasts for all of `pause`.
    private func wait(
        for waker: (any AwaitableStoreVersion)?, toChangeFrom value: UInt64, atMost pause: Duration
    ) async throws {
        if let waker, await waker.change(from: value, atMost: pause) {
            try Task.checkCancellation()
        } else {
            try await time.sleep(for: pause)
        }
    }

    private func refresh(
        _ account: AccountID, with lease: any StoreLease, for need: RefreshNeed
    ) async throws -> Ending {
        FaultPoint.reached("lease.held")
        let end = Deadline.of(lease, time: time)
        let record = LeasedRecord(
            account: account, lease: lease, end: end, store: store,
            deadline: Deadline.ofRefresh(within: end, time: time))
        // If the result could not be stored, this process keeps the lease.
        return try await record.lease.releasing(unless: { unstored.holds(record.account) }) {
            try await decide(record, for: need)
        }
    }

    // MARK: 2. and 3. The decision

    private func decide(_ record: LeasedRecord, for need: RefreshNeed) async throws -> Ending {
        let (account, grant) = (record.account, need.wish?.grant)
        let intents = RefreshIntents(store: store, grant: grant)
        let (stored, issuer, whole) = try await noteAndSession(of: account, intents)
        guard let found = whole.of(grant) else { return (whole, .elsewhere) }
        let key = need.wish?.key
        let session = try await proven(verified(found, record, for: key), record, for: key)
        guard need.wantsRefresh(of: session.credential, schedule, at: time.now) else { return (session, .elsewhere) }
        let entry = await intents.correcting(stored, for: account, at: time.now)
        let earlier = entry.intent.flatMap { isNote($0, about: session, of: account) ? $0 : nil }
        let isUsable = need.isServed(by: session.credential, at: time.now)
        if let error = obstacle(to: need, session, account, note: entry.intent, earlier, issuer.value) {
            guard isUsable, !need.isDemand else { throw error }
            return (session, .failed(error))
        }
        guard let refreshToken = session.credential.refreshToken else {
            return (try await inquire(session, record, for: need), .elsewhere)
        }
        let hasSenderEnded = record.lease.hasPredecessorEnded
        let isWorthKeeping = isUsable || need.mustSpareSession && session.hasUsableToken(at: time.now)
        let verdict = backend.replay.verdict(
            on: earlier, isAccessTokenUsable: isWorthKeeping, hasSenderEnded: hasSenderEnded, at: time.now)
        switch verdict {
        case .wait:
            return (session, .failed(SessionError.refreshInProgress(account)))
        case .waitForEnd:
            throw earlier?.error(for: account, hasSenderEnded: hasSenderEnded) ?? .refreshInProgress(account)
        case .giveUp:
            try await suspend(session, record, .inDoubt(at: time.now), for: key)
        case .send:
            let note = RefreshNote(
                of: (session.tokensSince, grant, refreshToken), record, replacing: entry, after: earlier,
                issuer: issuer, for: key, monitor: monitor)
            try await monitor.begin(account, at: time.now)
            defer { monitor.finish() }
            return try await send(session, record, note, for: need)
        }
    }

    /// Reads the note, the issuer's pause and the account's session: the note first, or all of them at one moment. If
    /// the system suspends this process between these reads, and another process refreshes the session meanwhile, the
    /// note is outdated. Storing a new note then fails, so that a spent refresh token is not sent.
    private func noteAndSession(
        of account: AccountID, _ intents: RefreshIntents
    ) async throws -> (RefreshIntents.Entry, IssuerPause.Entry, StoredSession) {
        do {
            let keys = [RefreshIntents.key(account, intents.grant), .account(account), issuerKey]
            let read = try await store.records(for: keys)
            let now = time.now
            let entry = RefreshIntents.entry(in: read.first { $0.key.collection == .refreshes }, at: now)
            let issuer = IssuerPause.Entry(read.first { $0.key == issuerKey }, at: now)
            return (entry, issuer, try live(account, in: read.first { $0.key.collection == .accounts }))
        } catch TokenStoreError.corrupt {
            // Move a damaged note or pause to the quarantine. A damaged session is an error.
            let entry = try await intents.entry(for: account, at: time.now)
            let issuer = try await store.soundRecord(for: issuerKey)
            return (entry, IssuerPause.Entry(issuer, at: time.now), try await live(account))
        }
    }

    /// Whether `note` is about the refresh token of `session`.
    private func isNote(_ note: RefreshIntent, about session: StoredSession, of account: AccountID) -> Bool {
        // An unstored session has the same generation as the stored session, whose older token the note may be about.
        // Therefore, compare the token, too.
        let isOfToken = unstored.session(account, at: session.generation) == nil || note.isAbout(session.credential)
        return note.generation == session.tokensSince && isOfToken
    }

    /// The reason for sending no request now, as an error: a suspension, a pause, or earlier requests that may still
    /// arrive. `nil` if nothing holds the request back.
    /// - Parameters:
    ///   - note: the stored note, whichever refresh token it is about; `nil` for none.
    ///   - earlier: `note`, if it is about the refresh token of `session`; otherwise `nil`.
    ///   - issuer: the pause that the issuer demanded; `nil` for none.
    private func obstacle(
        to need: RefreshNeed, _ session: StoredSession, _ account: AccountID, note: RefreshIntent?,
        _ earlier: RefreshIntent?, _ issuer: IssuerPause?
    ) -> SessionError? {
        let credential = session.credential
        if let suspension = credential.suspension, suspension.rests(at: time.now) {
            return session.error(of: suspension, account, for: need.wish?.key)
        }
        // Pauses and notes are about requests with a refresh token.
        guard credential.refreshToken != nil else { return nil }
        // A pause because the session's own token needs a step-up does not hold back requests for other tokens.
        let ownPause = earlier?.pause.flatMap { need.wish != nil && $0.cause == .stepUpNeeded ? nil : $0 }
        let pauses = [ownPause, issuer?.ofAll].compactMap { $0 }
        if let pause = pauses.first(where: { $0.holds(at: time.now) }) {
            return pause.error(for: account, credential.scopes)
        }
        if backend.replay == .parentAlways, let note, note.holdsBack(need.wish?.key, of: session, at: time.now) {
            return note.error(for: account, hasSenderEnded: false)
        }
        return nil
    }

    // MARK: 4. The request

    private func send(
        _ session: StoredSession, _ record: LeasedRecord, _ note: RefreshNote, for need: RefreshNeed
    ) async throws -> Ending {
        let result = try await result(of: session.credential, record, note, for: need)
        FaultPoint.reached("exchange.answered")
        // The refusal of a resource neither suspends nor ends the session. Whether the server refuses the whole session
        // is found out when the session's own token is refreshed.
        if note.key != nil, let refusal = result.refusalOfResource {
            return try await refuse(session, record, note, because: refusal)
        }
        return try await act(on: result, session, record, note)
    }

    /// Sends the request and returns its result.
    /// - Throws: the store's error if the note could not be stored, in which case nothing was sent. Any other error means
    ///   that the outcome is unknown, which the note then records.
    private func result(
        of credential: Credential, _ record: LeasedRecord, _ note: RefreshNote, for need: RefreshNeed
    ) async throws -> RefreshResult {
        // If the process was suspended for longer than its lease, another process may be sending the token now.
        guard !record.deadline.hasPassed else { return .notSent(SessionError.refreshInProgress(record.account)) }
        let context = RefreshContext(transport, before: record.deadline, noting: note, for: need.wish)
        do {
            defer { note.close() }
            let sent =
                if let spending = need.spending {
                    try await spending.send(credential, context)
                } else {
                    try await backend.refresh(credential, context)
                }
            let result = backend.origin.claiming(sent)
            guard case .notSent(let error) = result, note.isCertain else { return result }
            throw error
        } catch {
            guard note.isInDoubt else {
                if let failure = note.failure { throw failure }
                return .notSent(error)
            }
            let pause = pause(note.isTooLarge ? .tooLarge : .inDoubt, error, after: note)
            await note.leaveInDoubt(until: pause)
            throw pause.error(for: record.account, because: error)
        }
    }

    /// The whole stored session, or a newer one that could not be stored yet.
    func live(_ account: AccountID) async throws -> StoredSession {
        try live(account, in: try await store.record(for: .account(account)))
    }

    private func live(_ account: AccountID, in record: StoreRecord?) throws -> StoredSession {
        let stored = try records.live(account, in: record)
        return unstored.session(account, at: stored.generation) ?? stored
    }
}

extension RefreshResult {
    /// The error of a response that refuses only the resource, if the request was for one; `nil` for other results.
    fileprivate var refusalOfResource: (any Error)? {
        switch self {
        case .stepUpNeeded(let error), .personNeeded(let error, _), .ambiguous(let error, _),
            .misconfigured(let error), .clientUnknown(let error, _):
            error
        case .refreshed, .unusable, .refused, .unreadable, .notSent, .unspent: nil
        }
    }
}

extension Suspension {
    /// A session that was being refreshed, without a usable response: the server may or may not have replaced its token.
    fileprivate static func inDoubt(at now: Date) -> Suspension {
        Suspension(
            "in_doubt", because: "It was being refreshed, and no usable response was received.", retries: .never,
            at: now)
    }
}
