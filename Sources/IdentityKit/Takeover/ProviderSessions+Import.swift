import Foundation

extension ProviderSessions {
    /// Imports a session that another library has stored, and then removes the library's copy. Sends no request to the
    /// backend.
    ///
    /// The state of the store takes precedence: an existing session stays, and an account that has signed out stays
    /// signed out. In both cases the library's copy is removed too. Otherwise the copy is removed only once the store
    /// holds the session, so an import that fails or is interrupted loses nothing, and the next import completes it.
    ///
    /// Import the session before your app uses it, and do not let the other library refresh it afterwards, because many
    /// servers accept a refresh token only once.
    /// - Returns: whether the session was imported, or why not. If the library's copy cannot be removed, the error is
    ///   reported to the observers, and the next import tries again.
    /// - Throws: an error with the code `takeover_unreadable` when the copy does not name the person or its tokens are
    ///   malformed, `takeover_foreign` when it belongs to another backend or client, or `takeover_occupied` when a
    ///   session of another configuration is stored for the account; ``/IdentityCore/TokenStoreError`` when the store
    ///   could not be read or written; `CancellationError`.
    @discardableResult
    public func importSession(_ kept: ExternalSession) async throws -> SessionImportResult {
        try await importSession(kept, as: AccountID(account: kept.account, realm: realm)) { nil }
    }

    /// Imports as ``importSession(_:)`` does, for a client that stores its sessions in its own way.
    /// - Parameters:
    ///   - kept: the session that the other library has stored.
    ///   - account: the account under which to store the session.
    ///   - isAccepted: receives the result, and returns whether to remove the library's copy now. If not, call
    ///     ``remove(_:of:)`` later. Not called for a session that has ended.
    ///   - decided: returns the result if it does not depend on the record of the account, or else `nil`.
    package func importSession(
        _ kept: ExternalSession, as account: AccountID,
        whenAccepted isAccepted: (SessionImportResult) async throws -> Bool = { _ in true },
        unless decided: () async throws -> SessionImportResult?
    ) async throws -> SessionImportResult {
        guard AccountID(id: account.id) == account else {
            throw SessionImportError.unreadable(source: kept.source, detail: "it does not say who signed in")
        }
        if let objection = records.origin.objection(to: kept.credential) {
            throw SessionImportError.foreign(source: kept.source, reason: objection)
        }
        let earlier = try await decided()
        let result =
            if let earlier { earlier } else { try await place(kept, for: account) }
        if result == .ended { return result }
        FaultPoint.reached("takeover.stored")
        if try await isAccepted(result) { await remove(kept, of: account) }
        emit(SessionImportEvent.Kind(result), of: kept.source, account)
        return result
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

    /// Stores the session, unless it has ended, or the record of the account contains a live session or a sign-out.
    ///
    /// No lease is needed. Compare-and-swap replaces only a record without a live session, and no process refreshes such
    /// a record.
    private func place(_ kept: ExternalSession, for account: AccountID) async throws -> SessionImportResult {
        let credential = records.origin.claiming(kept.credential)
        let content = try SessionRecord.live(credential).encoded()
        // Check that the record can be decoded again, because the library may have stored a value that is no token.
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
            // Do not store a session that was imported before and has ended, or that is older than an ended session at
            // the same backend.
            if let record, case .ended(let former)? = try? SessionRecord(record), former.isEnd(of: credential) {
                return .ended
            }
            // As at a sign-in, write the current account before the session. Write it again afterwards, because a look-up
            // in between did not find the session and may have replaced the current account.
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
            try? await records.noteNewest(account, credential, isStored: true)
            cache.forget(account)
            return .takenOver
        }
    }

    func emit(_ kind: SessionImportEvent.Kind, of source: String, _ account: AccountID?) {
        monitor.observers.emit(.takeover(SessionImportEvent(kind: kind, source: source, account: account)))
    }

    /// Whether the store has no record of this provider's accounts: those whose realm is the name of the provider. `nil` when
    /// the store cannot be read synchronously, or not completely.
    package func immediatelyIsNew() -> Bool? {
        guard let store = records.store as? any ImmediateTokenStore,
            let listing = try? store.immediateRecords(in: .accounts), listing.failures.isEmpty
        else { return nil }
        return !listing.records.contains { AccountID(id: $0.key.name)?.realm.hasBytes(of: realm) ?? true }
    }
}
