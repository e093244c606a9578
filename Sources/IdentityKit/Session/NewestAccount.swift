import Foundation

/// Which account of a realm signed in last: a record of its own, so that a look without a known account reads two records
/// however many accounts the store holds.
///
/// It is an index. The session's own record says whether there is a session, and where the index is missing or names
/// another sign-in than that record, all sessions are read and the index is written again.
struct NewestAccount: Encodable, Equatable {
    let account: AccountID
    /// When it signed in, which tells this sign-in from others of the account.
    let signedInAt: Date

    init(_ account: AccountID, _ credential: Credential) {
        (self.account, signedInAt) = (account, credential.signedInAt)
    }

    /// The index in `record`; `nil` where it cannot be read.
    fileprivate init?(_ record: StoreRecord?) {
        guard let content = record?.content, case .object(let stored)? = try? JSONValue(reading: content) else {
            return nil
        }
        var members = JSONMembers(stored)
        guard let account = try? members.object("account"), let name = account["account"]?.stringValue,
            let realm = account["realm"]?.stringValue, let signedInAt = try? members.date("signedInAt")
        else { return nil }
        self.account = AccountID(account: name, realm: realm)
        self.signedInAt = signedInAt
    }

    /// Whether `session` began with the sign-in that the index names.
    fileprivate func names(_ session: StoredSession) -> Bool { session.credential.signedInAt == signedInAt }
}

extension StoreKey.Collection {
    /// One record per realm: the account that signed in last.
    static let newest = StoreKey.Collection(rawValue: "newest")
}

extension SessionRecords {
    private var newestKey: StoreKey { StoreKey(.newest, realm) }

    /// The account that signed in last and still has a session.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when that cannot be known.
    func newestLive() async throws -> AccountLookup {
        let index: StoreRecord?
        do {
            index = try await store.soundRecord(for: newestKey)
        } catch {
            // It is an index: the sessions tell whether the store can be read.
            return try await listedNewestLive().lookup
        }
        let newest = NewestAccount(index)
        if let newest, newest.account.realm.hasBytes(of: realm),
            let session = try? await lookUp(newest.account).session, newest.names(session)
        {
            return session.lookup(newest.account)
        }
        if let absence = RecordedAbsence(index), let lookup = try? await self.lookup(of: absence) { return lookup }
        let listing = try await listedNewestLive()
        let content =
            if let found = listing.found {
                try JSONEncoder().encode(NewestAccount(found.account, found.credential))
            } else {
                try await absence(in: listing, besides: newest?.account)
            }
        // Where it cannot be written, the next look reads all sessions again.
        if let content { _ = try? await store.write(content, for: newestKey, replacing: index?.generation ?? 0) }
        return listing.lookup
    }

    private func listedNewestLive() async throws -> Listed {
        try newestLive(in: try await store.records(in: .accounts))
    }

    /// The account that signed in last and still has a session, with that session, read without suspension.
    /// - Returns: `nil` when the store cannot be read synchronously.
    func immediateNewestLive() throws -> (account: AccountID, credential: Credential)?? {
        guard let store = store as? any ImmediateTokenStore else { return nil }
        let index = (try? store.immediateRecord(for: newestKey)) ?? nil
        if let newest = NewestAccount(index), newest.account.realm.hasBytes(of: realm),
            let record = (try? store.immediateRecord(for: .account(newest.account))) ?? nil,
            case .live(let session)? = try? state(of: record), newest.names(session)
        {
            return .some((newest.account, session.credential))
        }
        if let absence = RecordedAbsence(index), absence.stands(in: store) { return .some(nil) }
        return try store.immediateRecords(in: .accounts).map { try newestLive(in: $0).found }
    }

    /// Stores a new session.
    /// - Returns: the credential there was.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func begin(_ credential: Credential, for account: AccountID) async throws -> Credential? {
        // The index first: a process that ends in between leaves one that is seen to be wrong.
        try await noteNewest(account, credential)
        let replaced = try await SessionAction.signIn.whileWriting {
            try await replace(account, with: .live(credential))
        }
        // A look in between did not find this session yet, and may have written the index anew.
        try? await noteNewest(account, credential)
        return replaced
    }

    /// Makes `account` the newest one, unless the index names a later sign-in.
    func noteNewest(_ account: AccountID, _ credential: Credential) async throws {
        let newest = NewestAccount(account, credential)
        let content = try JSONEncoder().encode(newest)
        try await store.update(newestKey, settingDamagedAside: true) { record in
            let known = NewestAccount(record)
            let isLater = known.map { $0.signedInAt > newest.signedInAt } ?? false
            return known == newest || isLater ? .keep : .replace(content)
        }
    }
}
