import Foundation

/// Writes the note of a running refresh, which is a ``RefreshIntent``: before the refresh token is sent, and again
/// after a failure that does not end the session.
final class RefreshNote: Sendable {
    private struct State: Sendable {
        var entry: RefreshIntents.Entry
        /// The note that this refresh has stored, and the time just before it was written; `nil` before the first write.
        var sent: (intent: RefreshIntent, since: TimeSource.Mark)?
        var isHandedOver = false
        var isInDoubt = false
        /// Whether the last request got a response, so that a further request may follow.
        var isAnswered = false
        /// Whether an earlier request of this refresh, before the last one, got no response.
        var isLost = false
        var saysWhatItSent = false
        var failure: (any Error)?
        var isClosed = false
        var isTooLarge = false
    }

    /// The stored note of the previous refresh with the same refresh token; `nil` for none.
    let earlier: RefreshIntent?
    /// The pause that the issuer demanded, as it was stored when this refresh began.
    let issuer: IssuerPause.Entry
    /// The requested resource; `nil` for the session's own token, and for a request other than a refresh.
    let key: TokenKey?

    private let session: (generation: UInt64, grant: String?, token: Secret)
    private let record: LeasedRecord
    private let monitor: RefreshMonitor
    private let state: Locked<State>

    /// Longest time between storing the note and sending the request.
    private static let handover = Duration.seconds(2)
    /// Longest time between storing the note and repeating the request.
    private static let repetition = Duration.seconds(20)

    /// Creates the note of a refresh, without storing it.
    /// - Parameters:
    ///   - session: the value of ``StoredSession/tokensSince``, the identifier of the ``Grant`` (`nil` for the
    ///     session's first one), and the refresh token.
    ///   - record: the account's record, whose lease this process holds.
    ///   - entry: the stored note, which this one replaces.
    ///   - earlier: the stored note, if it is about this refresh token; otherwise `nil`.
    ///   - issuer: the stored pause of the issuer.
    ///   - key: the requested resource; `nil` for the session's own token.
    ///   - monitor: knows whether the system is about to suspend the process.
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

    /// Whether the token may have reached the server. A response does not change that, because only the backend knows
    /// whether the response is about the token.
    var isInDoubt: Bool { state.withLock { $0.isInDoubt } }
    /// Whether a backend's result ``RefreshResult/notSent(_:)`` is wrong: the transport reports each request that was
    /// not sent, and has not reported the request with the token.
    var isCertain: Bool { state.withLock { $0.saysWhatItSent && $0.isInDoubt } }
    /// Whether a response exceeded the size limit of its request.
    var isTooLarge: Bool { state.withLock { $0.isTooLarge } }
    /// The error of the last failed attempt to store the note before sending; `nil` for none.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// A sentence for the reason of a refusal, which names the lost response to an earlier request as a possible cause;
    /// empty when no response was lost.
    var doubt: String {
        (earlier?.attempt ?? 0) > 0
            ? " An earlier response was lost, and a server can take the second request for a theft." : ""
    }

    // MARK: The sending

    /// Stores the note before a request with the refresh token. For a further request of this refresh, the note is not
    /// stored again. When this function returns, the token counts as sent.
    /// - Parameters:
    ///   - host: the server, for the error.
    ///   - saysWhatItSent: whether ``takeBack()`` is called when the request was certainly not sent.
    /// - Throws: ``TransportError/notSentInTime(host:)``, or ``/IdentityCore/TokenStoreError`` when the note could not be
    ///   stored. After any error the token must not be sent.
    func begin(toSendTo host: String, saysWhatItSent: Bool) async throws {
        let late = TransportError.notSentInTime(host: host)
        // A refresh repeats its request after a response, such as one that asks for a nonce. A request with a response
        // no longer makes the token count as possibly spent, but a request without a response still does.
        state.withLock { state in
            if state.isInDoubt, !state.isAnswered { state.isLost = true }
            state.isInDoubt = state.isLost
        }
        // Store the note again if the process was stopped for too long after storing it.
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

    /// Records that no byte of the last request was sent. If an earlier request of this refresh got no response, the
    /// token still counts as possibly spent.
    func takeBack() { state.withLock { $0.isInDoubt = $0.isLost } }

    /// Records that the last request got a complete response.
    func noteAnswer() { state.withLock { $0.isAnswered = true } }

    /// Records that the response exceeded the size limit of the request.
    func noteTooLarge() { state.withLock { $0.isTooLarge = true } }

    /// Makes ``begin(toSendTo:saysWhatItSent:)`` fail from now on, because the backend's function has returned.
    func close() { state.withLock { $0.isClosed = true } }

    /// Stores the note, unless it is stored already and an earlier request of this refresh was allowed to be sent.
    /// - Returns: the time just before the note was written (`since`), and how long after that time the request may be
    ///   sent (`limit`).
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

    /// Stores that the outcome is unknown, and that the token is not sent again during `pause`.
    func leaveInDoubt(until pause: RefreshPause) async {
        // If this cannot be stored, the request counts as still running, which is the safer mistake.
        await write { $0.inDoubt(until: pause) }
    }

    /// Stores that this refresh did not spend the token, and that the token is not sent again during `pause`. If an
    /// earlier refresh may have spent the token, the stored note continues to say so.
    func settle(until pause: RefreshPause) async {
        // If this cannot be stored, the token counts as possibly spent, which is the safer mistake.
        await write { [earlier] in $0.unspent(until: pause, knownBefore: earlier) }
    }

    /// Stores ``earlier`` again, or erases the note if that is `nil`. Called after a response that did not spend the
    /// token and refused only the requested resource.
    func takeBackAnswered() async {
        // If this cannot be stored, the token counts as possibly spent, which is the safer mistake.
        let note = earlier?.again(at: time.now)
        _ = try? await intents.write(note, for: record.account, replacing: state.withLock { $0.entry })
    }

    private func write(_ outcome: (RefreshIntent) -> RefreshIntent) async {
        let (entry, sent) = state.withLock { ($0.entry, $0.sent) }
        _ = try? await intents.write(outcome(sent?.intent ?? makeIntent()), for: record.account, replacing: entry)
    }

    private var time: TimeSource { record.deadline.time }
    private var intents: RefreshIntents { RefreshIntents(store: record.store, grant: session.grant) }
}
