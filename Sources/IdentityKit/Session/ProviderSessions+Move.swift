import Foundation

extension ProviderSessions {
    /// Keeps the live session of `source` under `target` from now on, where a later version keeps it.
    ///
    /// It is moved with its lease held, so that nobody spends its refresh token meanwhile, and by compare-and-swap. It
    /// stays where it is while somebody refreshes it, while nobody knows whether its refresh token is spent, and while a
    /// session of another origin is in the way; the next call tries again. A process that dies halfway leaves two copies
    /// of one sign-in, of which the next call drops the one at `source`.
    ///
    /// Where `target` has a session of its own, the later sign-in stays.
    /// - Returns: the credential that nobody uses any more, for revocation; `nil` when there is none.
    /// - Throws: ``TokenStoreError``.
    @discardableResult
    package func move(_ source: AccountID, to target: AccountID) async throws -> Credential? {
        guard try await storedCredential(of: source) != nil,
            let lease = try await records.store.lease(for: .account(source))
        else { return nil }
        do {
            return try await lease.releasing { try await move(source, to: target, holding: lease) }
        } catch TokenStoreError.conflict {
            // Somebody signed in or out meanwhile, which is newer.
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
