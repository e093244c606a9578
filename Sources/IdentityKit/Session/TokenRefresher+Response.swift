import Foundation

/// Decides what follows from the result of a refresh request: storing new tokens, a pause before the next request, or
/// the suspension or end of the session. ``TokenRefresher`` lists the steps.
extension TokenRefresher {
    /// Acts on every result except the refusal of a requested resource, which ``refuse(_:_:_:because:)`` handles.
    /// - Throws: the error for the caller, unless the result is a session that can be used.
    func act(
        on result: RefreshResult, _ session: StoredSession, _ record: LeasedRecord, _ note: RefreshNote
    ) async throws -> Ending {
        let account = record.account
        switch result {
        case .refreshed(let refreshed, let dropped, let faults):
            if !faults.isEmpty { monitor.report(.tolerated(account, faults)) }
            return try await commit(refreshed, dropping: dropped, for: note.key, session, record)
        case .unusable(let kept, let error):
            let pause = pause(.unusable, error, after: note)
            try await keep(kept, until: pause, session, record)
            throw pause.error(for: account, because: error)
        case .refused(let reason):
            return (try await conclude(session, record, because: reason + note.doubt, for: note.key), .elsewhere)
        case .ambiguous(let error, let kind):
            return (try await suspendIfRepeated(session, record, note, because: error, kind: kind), .elsewhere)
        case .personNeeded(let error, let mayPass):
            let pause = pause(.unread, error, after: note)
            try await suspend(session, record, note, until: pause, retries: mayPass ? .hourly : .never)
        case .clientUnknown(let error, let forget):
            try await suspendIfRepeated(session, record, note, because: error, forgettingClient: forget)
        case .misconfigured(let error):
            let pause = pause(.misconfigured, error, after: note)
            if pause.isToBeReported { monitor.report(.misconfigured(account, because: error)) }
            try await rest(until: pause, note, because: error)
        case .stepUpNeeded(let error):
            let pause = pause(.stepUpNeeded, error, after: note)
            try await rest(until: pause, note, because: pause.error(for: account, session.credential.scopes))
        case .unreadable(let error, let advice):
            let pause = pause(.unreadable, error, advice: advice, after: note)
            await note.leaveInDoubt(until: pause)
            throw pause.error(for: account, because: error)
        case .notSent(let error):
            try await rest(until: pause(.notSent, error, after: note), note, because: error)
        case .unspent(let error, let retryAfter, let isForAll):
            try await rest(for: retryAfter, isForAll: isForAll, account, note, because: error)
        }
    }

    // MARK: Suspending

    /// Handles an ambiguous response. The first one only stores a pause. If the same response comes again after that pause, the
    /// session is suspended. When such responses have come on at least five days, and for at least a week, the session ends
    /// (`Suspension.isFinal`).
    /// - Returns: the session that is stored now, if the record has changed meanwhile.
    private func suspendIfRepeated(
        _ session: StoredSession, _ record: LeasedRecord, _ note: RefreshNote, because error: any Error, kind: String?
    ) async throws -> StoredSession {
        let pause = pause(.ambiguous, error, kind: kind, after: note)
        guard pause.confirms(note.earlier?.pause) else {
            try await rest(until: pause, note, because: pause.error(for: record.account, because: error))
        }
        let reason = "The server refused its refresh token again (\(pause.kind))."
        let suspension = Suspension(
            pause.kind, because: reason, retries: .everRarer, at: time.now, after: session.credential.suspension)
        if suspension.isFinal { return try await conclude(session, record, because: reason) }
        await note.settle(until: pause)
        try await suspend(session, record, suspension)
    }

    /// Suspends the session, and lets the backend forget its client, when the server has refused the client again after
    /// the pause. After the first refusal, only the pause is stored.
    private func suspendIfRepeated(
        _ session: StoredSession, _ record: LeasedRecord, _ note: RefreshNote, because error: any Error,
        forgettingClient forget: @Sendable () async -> Void
    ) async throws -> Never {
        let pause = pause(.misconfigured, error, after: note)
        guard pause.confirms(note.earlier?.pause) else {
            try await rest(until: pause, note, because: error)
        }
        await forget()
        try await suspend(session, record, note, until: pause, retries: .never)
    }

    private func suspend(
        _ session: StoredSession, _ record: LeasedRecord, _ note: RefreshNote, until pause: RefreshPause,
        retries: Suspension.Retries
    ) async throws -> Never {
        await note.settle(until: pause)
        let suspension = Suspension(
            pause.kind, because: pause.message, retries: retries, at: time.now, after: session.credential.suspension)
        try await suspend(session, record, suspension)
    }

    // MARK: Pausing

    func pause(
        _ cause: RefreshPause.Cause, _ error: any Error, kind: String? = nil, advice: String? = nil,
        length: Duration? = nil, after note: RefreshNote
    ) -> RefreshPause {
        RefreshPause(
            cause, error, kind: kind, advice: advice, length: length, policy: backend.replay, at: time.now,
            after: note.earlier?.pause)
    }

    private func rest(
        until pause: RefreshPause, _ note: RefreshNote, because error: any Error
    ) async throws -> Never {
        await note.settle(until: pause)
        throw error
    }

    /// Stores a pause before the next request, because the issuer responded without examining the refresh token.
    /// - Parameters:
    ///   - length: the pause that the issuer demanded; `nil` if it named no length.
    ///   - isForAll: whether the issuer demanded the pause for all accounts.
    /// - Throws: always, an error that describes the pause and its cause `error`.
    private func rest(
        for length: Duration?, isForAll: Bool, _ account: AccountID, _ note: RefreshNote, because error: any Error
    ) async throws -> Never {
        let cause = length == nil ? RefreshPause.Cause.unread : .askedToWait
        if let length { await heed(length, account, isForAll: isForAll, note) }
        let pause = pause(cause, error, length: length, after: note)
        try await rest(until: pause, note, because: pause.error(for: account, because: error))
    }

    /// Stores the pause that the issuer demanded, for all processes of the store.
    /// - Parameter isForAll: whether the issuer demanded the pause for all accounts.
    private func heed(_ length: Duration, _ account: AccountID, isForAll: Bool, _ note: RefreshNote) async {
        let pause = IssuerPause(
            length, to: account, isForAll: isForAll, policy: backend.replay, at: time.now, after: note.issuer.value)
        // If the write fails, the pause is lost, and the issuer repeats its demand for each account.
        _ = try? await records.store.write(
            JSONEncoder().encode(pause), for: issuerKey, replacing: note.issuer.generation)
    }
}
