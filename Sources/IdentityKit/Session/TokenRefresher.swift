import Foundation

/// One refresh, from the decision to the stored result:
///
/// 1. Take the account's lease, or return the result of the process that holds it.
/// 2. Read the record again: the last holder may have refreshed it, or died before it verified the result.
/// 3. If this refresh token was sent before with an unknown outcome, the replay policy decides.
/// 4. Store a note that the token is sent, then send it.
/// 5. Store the result, verify it, and return it. A sign-out or sign-in that came first counts.
struct TokenRefresher: Sendable {
    let records: SessionRecords
    let backend: SessionBackend
    let schedule: RefreshSchedule
    let monitor: RefreshMonitor
    let time: TimeSource
    let unstored = UnstoredSessions()

    /// Longer than a refresh takes, with its requests and storing the result.
    static let leaseDeadline = Duration.seconds(45)
    /// How soon the lease of a process that has died is found.
    private static let longestPause = Duration.milliseconds(100)

    private var store: any TokenStore { records.store }
    private var intents: RefreshIntents { RefreshIntents(store: store) }

    // MARK: 1. The lease

    /// The result of a refresh: the session to use, and the outcome for observers.
    typealias Ending = (session: StoredSession, outcome: RefreshOutcome)

    /// A session that satisfies `need`. The caller knows that the stored one does not, as far as that can be known without
    /// the lease.
    /// - Returns: `nil` when another process is refreshing and `need` does not wait.
    func refresh(_ account: AccountID, for need: RefreshNeed) async throws -> StoredSession? {
        let start = time.now
        monitor.observers.tell(.refreshBegan(account))
        var outcome = RefreshOutcome.elsewhere
        defer { monitor.observers.tell(.refreshEnded(account, outcome, duration: time.elapsed(since: start))) }
        do {
            guard let ending = try await leased(account, for: need) else { return nil }
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
        let marker = store.marker(for: .account(account))
        var seen: UInt64 = 0
        // A session that could not be stored is newer than the one that the caller has read.
        var mayHaveChanged = unstored.holds(account)
        var waitsSince: Date?
        func endWait() {
            guard let start = waitsSince else { return }
            waitsSince = nil
            monitor.observers.tell(.store(StoreEvent(.waited(time.elapsed(since: start)), .account(account))))
        }
        defer { endWait() }
        // The kernel waits only by the system's clock.
        let waker = time.isSystem ? marker as? any AwaitableStoreVersion : nil
        var backoff = Backoff(
            deadline: Self.leaseDeadline, first: waker == nil ? .milliseconds(1) : Self.longestPause,
            longest: Self.longestPause)
        while true {
            let mark = marker?.value ?? 0
            if mayHaveChanged, mark == 0 || mark != seen {
                let session = try await live(account)
                if !need.wantsRefresh(of: session.credential, schedule, at: time.now) { return (session, .elsewhere) }
                seen = mark
            }
            mayHaveChanged = true
            if let lease = try await store.lease(for: .account(account)) {
                endWait()
                let deadline = RefreshDeadline(leaseEndsAt: lease.endsAt, time: time)
                return try await refresh(
                    LeasedRecord(account: account, lease: lease, store: store, deadline: deadline), for: need)
            }
            guard need != .early else { return nil }
            waitsSince = waitsSince ?? time.now
            guard let pause = backoff.next() else { throw SessionError.refreshInProgress(account) }
            try await wait(for: waker, toChangeFrom: mark, atMost: pause)
        }
    }

    /// The holder of the lease wakes those who wait when it stores its result or gives up. One that dies wakes nobody, so
    /// the lease is tried again after a pause.
    private func wait(
        for waker: (any AwaitableStoreVersion)?, toChangeFrom mark: UInt64, atMost pause: Duration
    ) async throws {
        if let waker, await waker.change(from: mark, atMost: pause) {
            try Task.checkCancellation()
        } else {
            try await time.sleep(for: min(pause, .milliseconds(20)))
        }
    }

    private func refresh(_ record: LeasedRecord, for need: RefreshNeed) async throws -> Ending {
        FaultPoint.reached("lease.held")
        // A result that is not stored yet keeps the lease until it is.
        return try await record.lease.releasing(unless: { unstored.holds(record.account) }) {
            try await decide(record, for: need)
        }
    }

    // MARK: 2. and 3. The decision

    private func decide(_ record: LeasedRecord, for need: RefreshNeed) async throws -> Ending {
        let account = record.account
        let (entry, found) = try await noteAndSession(of: account)
        let session = try await verified(found, record)
        guard need.wantsRefresh(of: session.credential, schedule, at: time.now) else { return (session, .elsewhere) }
        guard let refreshToken = session.credential.refreshToken else { throw SessionError.cannotRefresh(account) }
        let earlier = entry.intent?.generation == session.generation ? entry.intent : nil
        let isUsable = session.credential.isValid(at: time.now) && !need.rejects(session.credential)
        if let refusal = earlier?.refusal, refusal.pauses(at: time.now) {
            guard isUsable else { throw refusal.error(for: account) }
            return (session, .failed(refusal.error(for: account)))
        }
        switch backend.replay.verdict(on: earlier, isAccessTokenUsable: isUsable, at: time.now) {
        case .wait:
            return (session, .failed(SessionError.refreshInProgress(account)))
        case .giveUp:
            let reason = "It was being refreshed, and no usable response was received."
            return (try await conclude(session, record, because: reason), .elsewhere)
        case .send(let attempt):
            let intent = RefreshIntent(
                generation: session.generation, attempt: attempt, sentAt: time.now, token: refreshToken,
                refusal: earlier?.refusal)
            return try await monitor.guarding {
                let noted = try await intents.write(intent, for: account, replacing: entry)
                FaultPoint.reached("intent.noted")
                return try await send(session, record, Note(intent: intent, earlier: earlier, entry: noted))
            }
        }
    }

    /// The note and the stored session. The note is read first or at the same moment, so that a process that was suspended
    /// between the two cannot replace a later note.
    private func noteAndSession(of account: AccountID) async throws -> (RefreshIntents.Entry, StoredSession) {
        do {
            let read = try await store.records(for: [RefreshIntents.key(account), .account(account)])
            let entry = RefreshIntents.entry(in: read.first { $0.key.collection == .refreshes })
            return (entry, try live(account, in: read.first { $0.key.collection == .accounts }))
        } catch TokenStoreError.corrupt {
            // A damaged note is put aside, a damaged session is an error.
            return (try await intents.entry(for: account), try await live(account))
        }
    }

    // MARK: 4. The request

    /// The note of the request, and the one before it.
    private struct Note {
        let intent: RefreshIntent
        let earlier: RefreshIntent?
        let entry: RefreshIntents.Entry
    }

    private func send(_ session: StoredSession, _ record: LeasedRecord, _ note: Note) async throws -> Ending {
        let account = record.account
        let result = try await result(of: session.credential, before: record.deadline, of: account)
        FaultPoint.reached("exchange.answered")
        switch result {
        case .refreshed(let refreshed, let dropped):
            return try await commit(refreshed, dropping: dropped, session, record)
        case .refused(let reason):
            return (try await conclude(session, record, because: reason), .elsewhere)
        case .ambiguous(let error, let kind):
            let refusal = RefreshRefusal(.ambiguous, error, kind: kind, at: time.now, after: note.intent.refusal)
            if refusal.confirms(note.intent.refusal) {
                let reason = "The server refused its refresh token again (\(refusal.kind))."
                return (try await conclude(session, record, because: reason), .elsewhere)
            }
            await remember(refusal, for: account, note)
            throw error
        case .misconfigured(let error):
            let refusal = RefreshRefusal(.misconfigured, error, at: time.now, after: note.intent.refusal)
            await remember(refusal, for: account, note)
            if refusal.isToBeReported { monitor.report(.misconfigured(account, because: error)) }
            throw error
        case .unspent(let error):
            // The token is not spent: restore the earlier note.
            _ = try? await intents.write(note.earlier, for: account, replacing: note.entry)
            throw error
        }
    }

    private func result(
        of credential: Credential, before deadline: RefreshDeadline, of account: AccountID
    ) async throws -> RefreshResult {
        // The process may have been suspended for longer than its lease; then another process may be sending the token.
        guard deadline.remaining > .zero else { return .unspent(SessionError.refreshInProgress(account)) }
        do {
            return try await deadline.bounding { backend.origin.claiming(try await backend.refresh(credential)) }
        } catch let error as TransportError where error.wasNeverSent {
            return .unspent(error)
        }
    }

    private func remember(_ refusal: RefreshRefusal, for account: AccountID, _ note: Note) async {
        // If this cannot be written the token counts as in doubt, which is the safer mistake.
        let refused = note.intent.refused(with: refusal, knownBefore: note.earlier)
        _ = try? await intents.write(refused, for: account, replacing: note.entry)
    }

    /// The stored session, or the newer one that could not be stored yet.
    func live(_ account: AccountID) async throws -> StoredSession {
        try live(account, in: try await store.record(for: .account(account)))
    }

    private func live(_ account: AccountID, in record: StoreRecord?) throws -> StoredSession {
        let stored = try records.live(account, in: record)
        return unstored.session(account, at: stored.generation) ?? stored
    }
}
