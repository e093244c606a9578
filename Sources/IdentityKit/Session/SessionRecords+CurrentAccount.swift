import Foundation

/// The current account of a realm. With it, a look-up that names no account reads two records, however many accounts
/// the store holds.
///
/// The session's own record says whether there is a session. If there is no record of the current account, or it names
/// a different sign-in than the session, all sessions are read once, and the result is stored.
extension SessionRecords {
    /// Number of accounts up to which all records are read, which is fast enough and avoids writing when nobody has
    /// signed in.
    static let smallestListing = 64

    private var currentKey: StoreKey { .currentAccount(ofRealm: realm) }

    /// The account that signed in last and still has a session.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when that cannot be determined.
    func newestLive() async throws -> AccountLookup {
        let record: StoreRecord?
        do {
            record = try await store.soundRecord(for: currentKey)
        } catch {
            // Read the sessions too, to find out whether the store can be read.
            return try newestLive(in: try await store.records(in: .accounts)).lookup
        }
        let current = current(in: record)
        if let current, let answer = try? await answer(of: current, store.record(for: .account(current.account))) {
            return answer.lookup
        }
        WholeReading.begin()
        // Callers share one reading, which goes on for later callers even if one gives up.
        return try await scans.value(for: realm, whenAbandoned: .finish) {
            try await scan(insteadOf: current, replacing: record?.generation ?? 0)
        }
    }

    /// The result that `current` and the record of its account imply, with and without suspension; `nil` when the
    /// account has changed since.
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

    /// The current account of `realm` in its record; by default of this realm.
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

    /// A record saying that nobody has a session. A sign-in writes this record before and after its session. If it is
    /// interrupted in between, the account named here has a newer generation, which reveals it.
    private func absence(in listing: Listed, insteadOf former: CurrentAccount?) async throws -> CurrentAccount? {
        let account = former?.account ?? listing.absent ?? AccountID(account: "", realm: realm)
        let record = try await store.record(for: .account(account))
        // The account has signed in since the listing was read.
        if case .live? = try record.map(state) { return nil }
        return CurrentAccount(account, withoutSession: record?.generation ?? 0)
    }

    /// The account that signed in last and still has a session, with that session, read synchronously.
    /// - Returns: `nil` when the store cannot be read synchronously.
    func immediateNewestLive() throws -> Found?? {
        guard let store = store as? any ImmediateTokenStore else { return nil }
        if let current = current(in: (try? store.immediateRecord(for: currentKey)) ?? nil),
            let record = try? store.immediateRecord(for: .account(current.account)),
            let answer = try? answer(of: current, record)
        {
            return .some(answer.found)
        }
        return try store.immediateRecords(in: .accounts).map { try newestLive(in: $0).found }
    }

    /// Stores a new session.
    /// - Returns: the former credential.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func begin(_ credential: Credential, for account: AccountID) async throws -> Credential? {
        // Write this before the session: if the process ends in between, the record is recognized as wrong.
        try await noteNewest(account, credential)
        let replaced = try await SessionAction.signIn.whileWriting {
            try await replace(account, with: .live(credential))
        }
        // Write it again, because a look-up in between did not find this session and may have replaced the record.
        try? await noteNewest(account, credential)
        return replaced
    }

    /// Makes `account` the current one, unless the record names a later sign-in.
    func noteNewest(_ account: AccountID, _ credential: Credential) async throws {
        let newest = CurrentAccount(account, signedInAt: credential.signedInAt)
        let content = try newest.encoded()
        try await store.update(.currentAccount(ofRealm: account.realm), settingDamagedAside: true) { record in
            let known = current(in: record, ofRealm: account.realm)
            let isLater = known?.signedInAt.map { $0 > credential.signedInAt } ?? false
            return known == newest || isLater ? .keep : .replace(content)
        }
    }
}

extension TokenStore {
    /// Calls `look` whenever anybody signs in or out in this store, in any process, until the returned task is
    /// cancelled. Changes are only hints, so `look` has to read the current state.
    /// - Parameter concerns: whether a change may affect the client.
    package func followCurrent(
        where concerns: @escaping @Sendable (StoreChange) -> Bool, look: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        // Listen before the task starts, so that no change is missed.
        let changes = changes(in: .currentAccounts)
        return Task { for await change in changes where concerns(change) { await look() } }
    }

    /// Rewrites the record of a realm's current account when a session of `account` has ended, was suspended or was
    /// resumed. Followers of the record notice that without watching all sessions.
    ///
    /// If the store cannot be written now, the change is noticed by the next call. Without the store's key the record
    /// is erased, and the next look finds the current account anew.
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
    /// Whether the change is about the current account of one of `realms`.
    package func isAboutCurrent(of realms: Set<String>) -> Bool {
        let prefix = StoreKey.currentAccount(ofRealm: "").name
        guard key.collection == .currentAccounts, key.name.hasPrefix(prefix) else { return false }
        return realms.containsBytes(of: String(key.name.dropFirst(prefix.count)))
    }
}
