import Foundation

extension ProviderSessions {
    /// Moves the live session of `source` to `target`, where a later version of a provider keeps it.
    ///
    /// The session is moved by compare-and-swap with its lease held, so that its refresh token is not sent meanwhile. It
    /// is not moved during a refresh, while it is unknown whether its refresh token is spent, or while `target` holds a
    /// session of another origin; the next call tries again. A process that dies halfway leaves two copies of one sign-in,
    /// of which the next call removes the one at `source`.
    ///
    /// When `target` has a session too, the later sign-in is kept.
    /// - Returns: the credential that is no longer used, for revocation; `nil` when there is none.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    @discardableResult
    package func move(_ source: AccountID, to target: AccountID) async throws -> Credential? {
        guard try await storedCredential(of: source) != nil,
            let lease = try await records.store.lease(for: .account(source))
        else { return nil }
        do {
            return try await lease.releasing {
                try await SessionAction.move.whileWriting {
                    try await move(source, to: target, holding: lease)
                }
            }
        } catch TokenStoreError.conflict {
            // A sign-in or sign-out came first and is newer.
            return nil
        } catch is SessionError {
            return nil
        }
    }

    private func move(
        _ source: AccountID, to target: AccountID, holding lease: any StoreLease
    ) async throws -> Credential? {
        let store = records.store
        let session = try await records.live(source)
        let intent = try await RefreshIntents(store: store).entry(for: source).intent
        guard intent?.generation != session.generation else { return nil }
        let record = try await store.record(for: .account(target))
        var known: Credential?
        if let record, case .live(let credential)? = try SessionRecord(record) {
            guard records.origin.owns(credential) else { return nil }
            known = credential
        }
        let staysAtTarget = known.map { $0.signedInAt >= session.credential.signedInAt } ?? false
        if !staysAtTarget {
            let content = try SessionRecord.live(records.origin.claiming(session.credential)).encoded()
            try await records.noteNewest(target, session.credential)
            try await store.write(content, for: .account(target), replacing: record?.generation ?? 0)
            FaultPoint.reached("session.copied")
        }
        try await lease.write(nil, replacing: session.generation)
        cache.forget(source)
        cache.forget(target)
        guard let known, known.signedInAt != session.credential.signedInAt else { return nil }
        return staysAtTarget ? session.credential : known
    }
}
