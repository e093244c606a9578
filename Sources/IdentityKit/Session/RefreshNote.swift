import Foundation

/// The note of one refresh: written as its request is handed over, and once more when it is known what became of it.
final class RefreshNote: Sendable {
    private struct State: Sendable {
        var entry: RefreshIntents.Entry
        /// The note of this refresh, and when it was written.
        var sent: (intent: RefreshIntent, since: TimeSource.Mark)?
        var isHandedOver = false
        var isInDoubt = false
        /// Whether the last request has got a response, so that another one may follow it.
        var isAnswered = false
        /// Whether one before the last has got none.
        var isLost = false
        var saysWhatItSent = false
        var failure: (any Error)?
        var isClosed = false
        var isTooLarge = false
    }

    /// The note that there was of the same token.
    let earlier: RefreshIntent?
    /// Knowledge about the issuer.
    let issuer: IssuerPause.Entry
    /// The resource that is asked for; `nil` for the session's own token.
    let key: TokenKey?

    private let session: (generation: UInt64, grant: String?, token: Secret)
    private let record: LeasedRecord
    private let monitor: RefreshMonitor
    private let state: Locked<State>

    /// How long after its note a request is handed over.
    private static let handover = Duration.seconds(2)
    /// How long after its note a request may be repeated.
    private static let repetition = Duration.seconds(20)

    /// - Parameters:
    ///   - session: the generation that brought the refresh token, the further grant, and the token.
    ///   - record: the account's record.
    ///   - entry: the note as it is stored.
    ///   - earlier: the same, when it is about this token.
    ///   - issuer: what is known of the issuer.
    ///   - key: the resource that is asked for.
    ///   - monitor: knows when the process is about to be suspended.
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

    /// Whether the token may have arrived at the server.
    var isInDoubt: Bool { state.withLock { $0.isInDoubt } }
    /// Whether that is known from the transport, whatever the backend says.
    var isCertain: Bool { state.withLock { $0.saysWhatItSent && $0.isInDoubt } }
    /// Whether the response was larger than the limit.
    var isTooLarge: Bool { state.withLock { $0.isTooLarge } }
    /// Why the note could not be stored.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Possible causes of a refusal, after a request whose outcome is unknown.
    var doubt: String {
        (earlier?.attempt ?? 0) > 0
            ? " An earlier response was lost, and a server can take the second request for a theft." : ""
    }

    // MARK: The sending

    /// Stores the note, unless this refresh has one. From now on the token counts as sent.
    /// - Throws: ``TransportError/notSentInTime(host:)`` and the store's error; then it is not sent.
    func begin(toSendTo host: String, saysWhatItSent: Bool) async throws {
        let late = TransportError.notSentInTime(host: host)
        // A response asked for another request, so only one without a response is in doubt.
        state.withLock { state in
            if state.isInDoubt, !state.isAnswered { state.isLost = true }
            state.isInDoubt = state.isLost
        }
        // A process that was stopped between note and request may have been away for long: then there is a new note.
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

    /// No byte of the request has left.
    func takeBack() { state.withLock { $0.isInDoubt = $0.isLost } }

    /// The request has got a response.
    func noteAnswer() { state.withLock { $0.isAnswered = true } }

    /// The response was larger than the limit.
    func noteTooLarge() { state.withLock { $0.isTooLarge = true } }

    /// Nothing is sent any more.
    func close() { state.withLock { $0.isClosed = true } }

    /// When the note was written, and for how long after that the request may be handed over.
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

    /// Notes that the outcome is unknown, and the token is not sent again before the end of `pause`.
    func leaveInDoubt(until pause: RefreshPause) async {
        // If this cannot be written the request counts as not ended, which is the safer mistake.
        await write { $0.inDoubt(until: pause) }
    }

    /// Notes that the token is not spent, and is not sent again before the end of `pause`.
    func settle(until pause: RefreshPause) async {
        // If this cannot be written the token counts as in doubt, which is the safer mistake.
        await write { [earlier] in $0.unspent(until: pause, knownBefore: earlier) }
    }

    /// Takes the note back, for a response that spent nothing and is about a resource alone: what was known before it is known
    /// again.
    func takeBackAnswered() async {
        // If this cannot be written the token counts as in doubt, which is the safer mistake.
        _ = try? await intents.write(earlier, for: record.account, replacing: state.withLock { $0.entry })
    }

    private func write(_ outcome: (RefreshIntent) -> RefreshIntent) async {
        let (entry, sent) = state.withLock { ($0.entry, $0.sent) }
        _ = try? await intents.write(outcome(sent?.intent ?? makeIntent()), for: record.account, replacing: entry)
    }

    private var time: TimeSource { record.deadline.time }
    private var intents: RefreshIntents { RefreshIntents(store: record.store, grant: session.grant) }
}
