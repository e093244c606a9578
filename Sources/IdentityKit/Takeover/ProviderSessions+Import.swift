import Foundation

extension ProviderSessions {
    /// Imports a session that another library has stored, and then removes the library's copy. No request is sent.
    ///
    /// The state of the store takes precedence: an existing session stays, and an account that has signed out stays
    /// signed out. In both cases the library's copy is removed too. After a new session, the copy is removed only once
    /// the store holds the session, so an import that fails or is interrupted loses nothing, and the next one completes
    /// it.
    ///
    /// Import before anything else asks for the session, and do not let the other library refresh it afterwards,
    /// because a refresh token can be spent only once.
    /// - Returns: what was done. An ended session is neither stored nor removed.
    /// - Throws: `SessionImportError`; ``/IdentityCore/TokenStoreError`` when the session could not be stored.
    @discardableResult
    public func importSession(_ kept: ExternalSession) async throws -> SessionImportResult {
        try await importSession(kept, as: AccountID(account: kept.account, realm: realm)) { nil }
    }

    /// Imports as ``importSession(_:)`` does, for a client that stores its sessions in its own way.
    /// - Parameters:
    ///   - kept: the session.
    ///   - account: the account under which to store the session.
    ///   - decided: an outcome that was decided without the record of the account; `nil` for none.
    ///   - isAccepted: whether to remove the library's copy at once; otherwise call ``remove(_:of:)`` later.
    package func importSession(
        _ kept: ExternalSession, as account: AccountID,
        whenAccepted isAccepted: (SessionImportResult.Outcome) async throws -> Bool = { _ in true },
        unless decided: () async throws -> SessionImportResult.Outcome?
    ) async throws -> SessionImportResult {
        guard AccountID(id: account.id) == account else {
            throw SessionImportError.unreadable(source: kept.source, detail: "it does not say who signed in")
        }
        if let objection = records.origin.objection(to: kept.credential) {
            throw SessionImportError.foreign(source: kept.source, reason: objection)
        }
        let earlier = try await decided()
        let outcome =
            if let earlier { earlier } else { try await place(kept, for: account) }
        if outcome == .ended { return SessionImportResult(account: account, outcome: outcome, isRemoved: false) }
        FaultPoint.reached("takeover.stored")
        var isRemoved = false
        if try await isAccepted(outcome) { isRemoved = await remove(kept, of: account) }
        emit(SessionImportEvent.Kind(outcome), of: kept.source, account)
        return SessionImportResult(account: account, outcome: outcome, isRemoved: isRemoved)
    }

    /// Removes the library's copy. A failure is reported to the observers.
    /// - Returns: whether the copy is removed.
    @discardableResult
    package func remove(_ kept: ExternalSession, of account: AccountID) async -> Bool {
        do {
            try await kept.remove()
            return true
        } catch {
            emit(.notRemoved(error), of: kept.source, account)
            return false
        }
    }

    /// Stores the session, unless the store already knows who is signed in.
    ///
    /// No lease is needed: compare-and-swap replaces only a record without a session, which nobody refreshes.
    private func place(_ kept: ExternalSession, for account: AccountID) async throws -> SessionImportResult.Outcome {
        let credential = records.origin.claiming(kept.credential)
        let content = try SessionRecord.live(credential).encoded()
        // The library's value may be no token at all, and a record with it could not be decoded again.
        guard (try? SessionRecord(StoreRecord(key: .account(account), generation: 1, content: content))) != nil else {
            throw SessionImportError.unreadable(source: kept.source, detail: "its tokens are malformed")
        }
        while true {
            try Task.checkCancellation()
            let record = try await records.store.record(for: .account(account))
            switch try record.map(records.state(of:)) {
            case .live: return .alreadySignedIn
            case .absent(.signedOut, _): return .signedOut
            case .absent(.belongsElsewhere, _): throw SessionImportError.occupied(account)
            case .absent, nil: break
            }
            guard !credential.hasEnded(at: records.time.now) else { return .ended }
            // The session was imported before, and its backend has ended it since.
            if let record, case .ended(let former)? = try? SessionRecord(record), former.isEnd(of: credential) {
                return .ended
            }
            // As for a sign-in: write the current account first, and again in case of a look-up in between.
            try await records.noteNewest(account, credential)
            do {
                let generation = record?.generation ?? 0
                let content = try SessionRecord.live(credential).numbered(replacing: generation).encoded()
                _ = try await SessionAction.signIn.whileWriting {
                    try await records.store.write(content, for: .account(account), replacing: generation)
                }
            } catch TokenStoreError.conflict {
                // Retry, because another process was faster and its record takes precedence.
                continue
            }
            try? await records.noteNewest(account, credential)
            cache.forget(account)
            return .takenOver
        }
    }

    func emit(_ kind: SessionImportEvent.Kind, of source: String, _ account: AccountID?) {
        monitor.observers.emit(.takeover(SessionImportEvent(kind: kind, source: source, account: account)))
    }

    /// Whether the store holds no record of the realm, read synchronously; `nil` when that cannot be determined so.
    package func immediatelyIsNew() -> Bool? {
        guard let store = records.store as? any ImmediateTokenStore,
            let listing = try? store.immediateRecords(in: .accounts), listing.failures.isEmpty
        else { return nil }
        return !listing.records.contains { AccountID(id: $0.key.name)?.realm.hasBytes(of: realm) ?? true }
    }
}
