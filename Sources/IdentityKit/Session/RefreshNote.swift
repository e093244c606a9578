import Foundation

/// The note of a running refresh. It is stored when the request is sent, and again when the outcome is known.
final class RefreshNote: Sendable {
    private struct State: Sendable {
        var entry: RefreshIntents.Entry
        /// The stored note of this refresh, and the time of writing it.
        var sent: (intent: RefreshIntent, since: TimeSource.Mark)?
        var isHandedOver = false
        var isInDoubt = false
        /// Whether the last request got a response, so that another one may follow.
        var isAnswered = false
        /// Whether a request before the last one got no response.
        var isLost = false
        var saysWhatItSent = false
        var failure: (any Error)?
        var isClosed = false
        var isTooLarge = false
    }

    /// The note about the same token that was there before; `nil` for none.
    let earlier: RefreshIntent?
    /// The stored knowledge about the issuer.
    let issuer: IssuerPause.Entry
    /// The requested resource; `nil` for the session's own token.
    let key: TokenKey?

    private let session: (generation: UInt64, grant: String?, token: Secret)
    private let record: LeasedRecord
    private let monitor: RefreshMonitor
    private let state: Locked<State>

    /// Longest time between storing the note and sending the request.
    private static let handover = Duration.seconds(2)
    /// Longest time between storing the note and repeating the request.
    private static let repetition = Duration.seconds(20)

    /// Makes the note of a refresh, without storing it.
    /// - Parameters:
    ///   - session: the generation that brought the refresh token, the further grant, and the token.
    ///   - record: the account's record.
    ///   - entry: the stored note.
    ///   - earlier: the stored note, if it is about this token.
    ///   - issuer: the stored knowledge about the issuer.
    ///   - key: the requested resource.
    ///   - monitor: tells when the process is about to be suspended.
    init(
        of session: (generation: UInt64, grant: String?, token: Secret), _ record: LeasedRecord,
        replacing entry: RefreshIntents.Entry, after earlier: RefreshIntent?, issuer: IssuerPause.Entry,
        for key: TokenKey? = nil, monitor: RefreshMonitor
    ) {
        (self.session, self.record, self.earlier, self.issuer) = (session, record, earlier, issuer)
        self.key = key
        self.monitor = monitor
        state = Locked(State(entry: entry))
    }

    /// Whether the token may have reached the server without a known outcome.
    var isInDoubt: Bool { state.withLock { $0.isInDoubt } }
    /// Whether the transport reported that the token may have been sent, so that the backend's own error does not
    /// matter.
    var isCertain: Bool { state.withLock { $0.saysWhatItSent && $0.isInDoubt } }
    /// Whether the response exceeded the limit of the transport.
    var isTooLarge: Bool { state.withLock { $0.isTooLarge } }
    /// The error of storing the note; `nil` for none.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Text about possible causes of a refusal that follows a request of unknown outcome.
    var doubt: String {
        (earlier?.attempt ?? 0) > 0
            ? " An earlier response was lost, and a server can take the second request for a theft." : ""
    }

    // MARK: The sending

    /// Stores the note, unless this refresh has stored it already. From now on the token counts as sent.
    /// - Throws: ``TransportError/notSentInTime(host:)`` and the store's error; in that case the token must not be
    ///   sent.
    func begin(toSendTo host: String, saysWhatItSent: Bool) async throws {
        let late = TransportError.notSentInTime(host: host)
        // A response asked for this further request, so only a request without a response counts as uncertain.
        state.withLock { state in
            if state.isInDoubt, !state.isAnswered { state.isLost = true }
            state.isInDoubt = state.isLost
        }
        // Store a new note if the process was stopped for long between the note and the request.
        for _ in 1...3 {
            let isTooLate = state.withLock { $0.isClosed } || record.deadline.hasPassed || monitor.isToBeSuspended
            guard !isTooLate else { throw late }
            let (limit, since) = try await written()
            guard record.lease.isConfirmed else { throw late }
            guard time.elapsed(since: since) < limit else {
                guard limit == Self.handover else { throw late }
                continue
            }
            return state.withLock {
                ($0.isHandedOver, $0.isInDoubt, $0.isAnswered) = (true, true, false)
                $0.saysWhatItSent = saysWhatItSent
            }
        }
        throw late
    }

    /// Records that no byte of the request was sent.
    func takeBack() { state.withLock { $0.isInDoubt = $0.isLost } }

    /// Records that the request got a response.
    func noteAnswer() { state.withLock { $0.isAnswered = true } }

    /// Records that the response exceeded the limit.
    func noteTooLarge() { state.withLock { $0.isTooLarge = true } }

    /// Prevents any further sending.
    func close() { state.withLock { $0.isClosed = true } }

    /// The time when the note was stored, and how long after that the request may be sent.
    private func written() async throws -> (limit: Duration, since: TimeSource.Mark) {
        let (entry, sent, isRepetition) = state.withLock { ($0.entry, $0.sent, $0.isHandedOver) }
        if let sent, isRepetition { return (Self.repetition, sent.since) }
        let since = time.mark
        let intent = makeIntent()
        do {
            let written = try await intents.write(intent, for: record.account, replacing: entry)
            state.withLock { ($0.entry, $0.sent) = (written, (intent, since)) }
        } catch {
            state.withLock { $0.failure = error }
            throw error
        }
        FaultPoint.reached("intent.noted")
        return (Self.handover, since)
    }

    private func makeIntent() -> RefreshIntent {
        RefreshIntent(
            generation: session.generation, sentAt: time.now, token: session.token, after: earlier,
            resource: key?.resource)
    }

    // MARK: The outcome

    /// Stores that the outcome is unknown and the token is not sent again during `pause`.
    func leaveInDoubt(until pause: RefreshPause) async {
        // If this cannot be stored, the request counts as still running, which is the safer error.
        await write { $0.inDoubt(until: pause) }
    }

    /// Stores that the token is not spent, and is not sent again during `pause`.
    func settle(until pause: RefreshPause) async {
        // If this cannot be stored, the token counts as possibly spent, which is the safer error.
        await write { [earlier] in $0.unspent(until: pause, knownBefore: earlier) }
    }

    /// Restores the note that was there before, after a response that spent nothing and concerns only a resource.
    func takeBackAnswered() async {
        // If this cannot be stored, the token counts as possibly spent, which is the safer error.
        _ = try? await intents.write(earlier, for: record.account, replacing: state.withLock { $0.entry })
    }

    private func write(_ outcome: (RefreshIntent) -> RefreshIntent) async {
        let (entry, sent) = state.withLock { ($0.entry, $0.sent) }
        _ = try? await intents.write(outcome(sent?.intent ?? makeIntent()), for: record.account, replacing: entry)
    }

    private var time: TimeSource { record.deadline.time }
    private var intents: RefreshIntents { RefreshIntents(store: record.store, grant: session.grant) }
}
