import Foundation

/// The current account of a realm. A realm has the accounts of one provider, and the current one is the account that signed in
/// last. The name of that account is stored in a record, so that a look-up that names no account reads two records, however
/// many accounts the store holds.
///
/// The account's own record decides whether there is a session. If the record of the current account is missing, or names
/// a different sign-in than the session, the look-up reads all sessions and stores the account that it finds.
extension SessionRecords {
    /// A look-up that finds nobody signed in stores this result if the store has at least this many session records.
    /// With fewer records, every look-up reads them all, which is fast enough and avoids a write.
    static let smallestListing = 64

    private var currentKey: StoreKey { .currentAccount(ofRealm: realm) }

    /// Looks up the account that signed in last and still has a session.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when that cannot be determined, or `CancellationError`.
    func newestLive() async throws -> AccountLookup {
        let record: StoreRecord?
        do {
            record = try await store.soundRecord(for: currentKey)
        } catch {
            // The record of the current account cannot be read, but the sessions may be readable.
            return try newestLive(in: try await store.records(in: .accounts)).lookup
        }
        let current = current(in: record)
        if let current {
            do {
                let session = try await store.record(for: .account(current.account))
                if let answer = try answer(of: current, session) { return answer.lookup }
            } catch  where current.withoutSession != nil {
                // The stored result is that nobody has a session. Ignore the error, and read all sessions. An error about a
                // current account with a session is thrown instead, so that no other account takes its place.
            }
        }
        WholeReading.begin()
        // Concurrent callers share one reading. The reading goes on even if all of its callers are cancelled, because
        // later callers can use its result.
        let generation = record?.generation ?? 0
        return try await scans.value(for: generation, whenAbandoned: .finish) {
            try await scan(insteadOf: current, replacing: generation)
        }
    }

    /// The result of a look-up; `nil` if `record` no longer matches `current`, such as after the session has ended. The
    /// record matches if it contains the sign-in that `current` names, or if `current` says that nobody has a session
    /// and the record has not changed since. `lookup` is the result for callers. `found` is the account with its
    /// session, even if that is suspended; `nil` if there is no session.
    /// - Parameters:
    ///   - current: the current account.
    ///   - record: the record of that account; `nil` when there is none.
    private func answer(
        of current: CurrentAccount, _ record: StoreRecord?
    ) throws -> (found: Found?, lookup: AccountLookup)? {
        let session = try record.map(state)
        if case .live(let session)? = session, session.credential.signedInAt == current.signedInAt {
            return ((current.account, session.credential), session.lookup(current.account))
        }
        guard current.withoutSession == record?.generation ?? 0 else { return nil }
        guard case .absent(let reason, _)? = session else { return (nil, .absent(.neverSignedIn)) }
        return (nil, .absent(reason))
    }

    /// The current account in the record of `realm`, by default of this realm; `nil` when there is none, its content cannot
    /// be decoded, or it names an account of another realm.
    private func current(in record: StoreRecord?, ofRealm realm: String? = nil) -> CurrentAccount? {
        guard let content = record?.content, let current = try? CurrentAccount(reading: content),
            current.account.realm.hasBytes(of: realm ?? self.realm)
        else { return nil }
        return current
    }

    private func scan(insteadOf former: CurrentAccount?, replacing generation: UInt64) async throws -> AccountLookup {
        let listing = try newestLive(in: try await store.records(in: .accounts))
        let current =
            if let found = listing.found {
                CurrentAccount(found.account, signedInAt: found.credential.signedInAt)
            } else if listing.count >= Self.smallestListing {
                try await absence(in: listing, insteadOf: former)
            } else {
                nil as CurrentAccount?
            }
        // If writing fails, the next look-up reads all sessions again.
        if let current { _ = try? await store.write(current.encoded(), for: currentKey, replacing: generation) }
        return listing.lookup
    }

    /// Returns the current account to store when nobody has a session: an account without a session, with the generation of its
    /// own record. Returns `nil` when that account has signed in meanwhile.
    ///
    /// A sign-in stores the current account before its session and again after it. This result may replace the first of
    /// these two writes, and the process that signs in may end before the second. In that case, `former` is the account
    /// that signs in. Storing the session gives that account's record a newer generation than the one in this result,
    /// so the next look-up finds the session.
    private func absence(in listing: Listed, insteadOf former: CurrentAccount?) async throws -> CurrentAccount? {
        let account = former?.account ?? listing.absent ?? AccountID(account: "", realm: realm)
        let record = try await store.record(for: .account(account))
        // The account has signed in since the listing was read.
        if case .live? = try record.map(state) { return nil }
        return CurrentAccount(account, withoutSession: record?.generation ?? 0)
    }

    /// The account that signed in last and still has a session, with that session, read synchronously.
    /// - Returns: `nil` when the store cannot be read synchronously; `.some(nil)` when no account has a session.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func immediateNewestLive() throws -> Found?? {
        guard let store = store as? any ImmediateTokenStore else { return nil }
        if let current = current(in: (try? store.immediateRecord(for: currentKey)) ?? nil) {
            do {
                if let record = try store.immediateRecord(for: .account(current.account)),
                    let answer = try answer(of: current, record)
                {
                    return .some(answer.found)
                }
            } catch  where current.withoutSession != nil {
                // Ignore the error and read all sessions, as `newestLive()` does.
            }
        }
        return try store.immediateRecords(in: .accounts).map { try newestLive(in: $0).found }
    }

    /// Stores a new session, and makes its account the current one.
    /// - Parameter isStepUp: whether the session continues the stored one.
    /// - Returns: the credential of the replaced session; `nil` when there was no live session that could be read.
    /// - Throws: as ``replace(_:with:isStepUp:)``.
    func begin(
        _ credential: Credential, for account: AccountID, isStepUp: Bool = false
    ) async throws -> Credential? {
        // Write the current account before the session. If the process ends in between, the current account names a different
        // sign-in than the stored session, and a look-up notices that.
        try await noteNewest(account, credential)
        let replaced = try await SessionAction.signIn.whileWriting {
            try await replace(account, with: .live(credential), isStepUp: isStepUp)
        }
        try? await noteNewest(account, credential, isStored: true)
        return replaced
    }

    /// Makes `account` the current one of its realm, unless the record names a later sign-in.
    /// - Parameter isStored: whether the session is stored. The record is then written even if it names the session already,
    ///   so that clients that follow the record look again. They may have looked before the session was stored.
    func noteNewest(_ account: AccountID, _ credential: Credential, isStored: Bool = false) async throws {
        let newest = CurrentAccount(account, signedInAt: credential.signedInAt)
        let content = try newest.encoded()
        try await store.update(.currentAccount(ofRealm: account.realm), settingDamagedAside: true) { record in
            let known = current(in: record, ofRealm: account.realm)
            let isLater = known?.signedInAt.map { $0 > credential.signedInAt } ?? false
            return known == newest && !isStored || isLater ? .keep : .replace(content)
        }
    }
}

extension TokenStore {
    /// Calls `look` after changes of the current accounts in this store, by any process, until the returned task is
    /// cancelled. A change means that somebody has signed in or out or chosen another account, or that a session has
    /// ended, was suspended or was resumed. Changes are only hints, so `look` has to read the current state.
    /// - Parameters:
    ///   - concerns: returns whether a change may affect the caller; if not, `look` is not called.
    ///   - look: reads the current state.
    package func followCurrent(
        where concerns: @escaping @Sendable (StoreChange) -> Bool, look: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        // Listen before the task starts, so that no change is missed.
        let changes = changes(in: .currentAccounts)
        return Task { for await change in changes where concerns(change) { await look() } }
    }

    /// Rewrites the unchanged record of a realm's current account when a session of `account` has ended, was suspended or
    /// was resumed. Clients that follow this record then look up the account, and need not follow the records of all
    /// sessions.
    ///
    /// If the store cannot be written now, a client notices the change at its next call. Without the store's key, the
    /// record is erased instead, and the next look-up determines the current account anew.
    func writeCurrentAgain(of account: AccountID) async {
        let key = StoreKey.currentAccount(ofRealm: account.realm)
        do {
            try await update(key) { $0.map { .replace($0.content) } ?? .keep }
        } catch let error as TokenStoreError where error.isAboutKey {
            _ = try? await sealedRecords?.update(key) { $0 == nil ? .keep : .replace(nil) }
        } catch {}
    }
}

extension StoreChange {
    /// Whether the changed record is that of the current account of one of `realms`.
    package func isAboutCurrent(of realms: Set<String>) -> Bool {
        let prefix = StoreKey.currentAccount(ofRealm: "").name
        guard key.collection == .currentAccounts, key.name.hasPrefix(prefix) else { return false }
        return realms.containsBytes(of: String(key.name.dropFirst(prefix.count)))
    }
}
