import Foundation

/// A live session as it is stored, or as seen by one of its further grants. A class, because every call for a token
/// passes it on, and copying a credential costs more than the rest of the call.
final class StoredSession: Sendable {
    let generation: UInt64
    /// The tokens of the session with its number, or those of the further grant.
    let credential: Credential
    /// The further grant; `nil` for the first.
    let grant: String?
    /// The whole session, if this is the view of a further grant; otherwise `nil`.
    private let whole: StoredSession?
    private let isStored: Bool

    init(generation: UInt64, credential: Credential, isStored: Bool = true) {
        (self.generation, self.isStored, grant, whole) = (generation, isStored, nil, nil)
        guard credential.sessionNumber == nil else {
            self.credential = credential
            return
        }
        // Number the session by its generation, which a sign-in cannot know before writing.
        var numbered = credential
        numbered.sessionNumber = generation
        self.credential = numbered
    }

    private init(_ grant: Grant, of whole: StoredSession) {
        (generation, isStored) = (whole.generation, whole.isStored)
        (self.grant, self.whole, credential) = (grant.id, whole, grant.credential)
    }

    /// The session as seen by `grant`; `nil` when it has no such grant.
    func of(_ grant: String?) -> StoredSession? {
        guard let grant else { return self }
        return credential.grants.first { $0.id == grant }.map { StoredSession($0, of: self) }
    }

    /// The whole session with all grants.
    var all: StoredSession { whole ?? self }

    /// The whole session to store after its grant got `credential`; for `nil`, the session without its further grant.
    /// Other grants are unchanged, so their notes stay valid.
    func all(with credential: Credential?) -> Credential {
        var all = merged(with: credential)
        if !all.grants.isEmpty { all.grants = all.grants.map(\.stored) }
        return all
    }

    private func merged(with credential: Credential?) -> Credential {
        guard let whole, let grant else { return credential ?? self.credential }
        // The first grant of an unstored session may have new tokens.
        var next = whole.isStored ? whole.credentialKeepingTokens : whole.credential
        next.grants = next.grants.compactMap { other in
            other.id == grant ? credential.map { Grant(id: grant, $0) } : other
        }
        return next
    }

    /// The session after its grant got `credential`.
    /// - Parameters:
    ///   - generation: the generation of the record that contains the credential; `nil` for none.
    ///   - isSpent: whether the credential is not stored although the stored refresh token is spent.
    func next(_ credential: Credential, storedAs generation: UInt64?, isSpent: Bool = false) -> StoredSession {
        var all = generation == nil ? merged(with: credential) : all(with: credential)
        if isSpent, let place = all.grants.firstIndex(where: { $0.id == grant }) {
            all.grants[place].keepNumber(tokensSince)
        }
        let next = StoredSession(
            generation: generation ?? self.generation, credential: all,
            isStored: generation != nil || isStored && !isSpent)
        return next.of(grant) ?? next
    }

    /// The generation that brought the tokens. For a further grant it is a counter, because other grants write the
    /// record too.
    var tokensSince: UInt64 { credential.tokensSince ?? generation }

    /// The credential for a write that changes no token.
    var credentialKeepingTokens: Credential {
        var kept = credential
        kept.tokensSince = tokensSince
        return kept
    }

    /// The session of `account` as the result of a look-up.
    func lookup(_ account: AccountID) -> AccountLookup {
        credential.suspension.map { .suspended(account, $0) } ?? .found(account)
    }
}

/// Reads and replaces the session records of one provider.
struct SessionRecords: Sendable {
    let realm: String
    let origin: SessionOrigin
    let store: any TokenStore
    let time: TimeSource
    /// Shared readings of all sessions.
    let scans = Coalescer<String, AccountLookup>()

    /// The live session of `account`.
    /// - Throws: ``/IdentityCore/SessionError``, ``/IdentityCore/TokenStoreError``.
    func live(_ account: AccountID) async throws -> StoredSession {
        try live(account, in: try await store.record(for: .account(account)))
    }

    /// The live session of `account` in its record.
    /// - Throws: ``/IdentityCore/SessionError``, ``/IdentityCore/TokenStoreError``.
    func live(_ account: AccountID, in record: StoreRecord?) throws -> StoredSession {
        guard let record else { throw SessionError.notSignedIn(account) }
        switch try SessionRecord(record) {
        case .live(let credential):
            if let objection = origin.objection(to: credential) {
                throw SessionError.belongsElsewhere(account, reason: objection)
            }
            return StoredSession(generation: record.generation, credential: credential)
        case .ended(let session):
            throw SessionError.ended(account, reason: SessionEndReason(session.endReason))
        case nil:
            throw SessionError.notSignedIn(account)
        }
    }

    typealias Found = (account: AccountID, credential: Credential)

    /// The sessions of this realm in a listing of all.
    struct Listed {
        let lookup: AccountLookup
        /// The account that signed in last, with its session; `nil` for none.
        let found: Found?
        /// The account that explains why nobody is signed in, when no account has a session.
        let absent: AccountID?
        /// The number of records, of all realms.
        let count: Int
    }

    /// The account that signed in last of those in `listing`.
    func newestLive(in listing: StoreListing) throws -> Listed {
        var newest: Found?
        // Among accounts without a session, the one that signed in last gives the reason.
        var absence = (reason: AbsenceReason.neverSignedIn, signedInAt: Date?.none, account: AccountID?.none)
        for record in listing.records {
            guard let account = AccountID(id: record.key.name), account.realm.hasBytes(of: realm) else { continue }
            switch try state(of: record) {
            case .live(let session):
                if session.credential.signedInAt >= newest?.credential.signedInAt ?? .distantPast {
                    newest = (account, session.credential)
                }
            case .absent(let reason, let signedInAt):
                if reason.outweighs(absence.reason, (signedInAt, absence.signedInAt)) {
                    absence = (reason, signedInAt, account)
                }
            }
        }
        let count = listing.records.count
        if let newest {
            let lookup =
                newest.credential.suspension.map { AccountLookup.suspended(newest.account, $0) }
                ?? .found(newest.account)
            return Listed(lookup: lookup, found: newest, absent: nil, count: count)
        }
        // An unreadable record may contain the wanted session.
        if let failure = listing.failures.first { throw failure }
        return Listed(lookup: .absent(absence.reason), found: nil, absent: absence.account, count: count)
    }

    /// Whether `account` still has a session.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func lookUp(_ account: AccountID) async throws -> (lookup: AccountLookup, session: StoredSession?) {
        guard let record = try await store.record(for: .account(account)) else { return (.absent(.neverSignedIn), nil) }
        switch try state(of: record) {
        case .live(let session): return (session.lookup(account), session)
        case .absent(let reason, _): return (.absent(reason), nil)
        }
    }

    /// The meaning of a record for this provider.
    enum State {
        case live(StoredSession)
        case absent(AbsenceReason, signedInAt: Date?)
    }

    func state(of record: StoreRecord) throws -> State {
        switch try SessionRecord(record) {
        case .live(let credential):
            if let objection = origin.objection(to: credential) {
                return .absent(.belongsElsewhere(objection), signedInAt: credential.signedInAt)
            }
            if credential.hasEnded(at: time.now) {
                let reason = credential.reasonOfEnd(at: time.now)
                return .absent(.sessionEnded(reason), signedInAt: credential.signedInAt)
            }
            return .live(StoredSession(generation: record.generation, credential: credential))
        case .ended(let session):
            return .absent(.sessionEnded(SessionEndReason(session.endReason)), signedInAt: session.signedInAt)
        case nil:
            return .absent(.signedOut, signedInAt: nil)
        }
    }

    /// Replaces the record unconditionally, because sign-in and sign-out take precedence over all other writes. A
    /// damaged record is quarantined.
    /// - Returns: the former credential.
    @discardableResult
    func replace(_ account: AccountID, with session: SessionRecord?) async throws -> Credential? {
        let former = try await store.update(.account(account), settingDamagedAside: true) { record in
            let next = session?.numbered(replacing: record?.generation ?? 0)
            return .replace(try next.map { next in record.map(next.keepingGrants) ?? next }?.encoded())
        }
        guard let former, case .live(let credential)? = try? SessionRecord(former) else { return nil }
        return credential
    }

    /// Ends a live session, and stores the reason.
    /// - Returns: the former credential; `nil` when `isMeant` rejected the session.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func end(
        _ account: AccountID, because reason: String, where isMeant: (Credential) -> Bool
    ) async throws -> Credential? {
        var former: Credential?
        try await store.update(.account(account)) { record in
            former = nil
            guard let record, case .live(let credential)? = try SessionRecord(record), isMeant(credential),
                origin.objection(to: credential) == nil
            else { return .keep }
            former = credential
            let ended = EndedSession(
                endReason: reason, signedInAt: credential.signedInAt, profile: credential.profile,
                backend: credential.backend)
            return .replace(try SessionRecord.ended(ended).encoded())
        }
        return former
    }

    /// Erases the record, even without the store's key.
    /// - Returns: the former credential, or the error of reading it; `nil` when there was none.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func erase(_ account: AccountID) async throws -> Result<Credential, TokenStoreError>? {
        do {
            return try await replace(account, with: nil).map(Result.success)
        } catch let error as TokenStoreError where error.isAboutKey {
            guard let sealed = store.sealedRecords else { throw error }
            let former = try await sealed.update(.account(account), settingDamagedAside: true) {
                $0?.content == nil ? .keep : .replace(nil)
            }
            return former?.content.map { _ in .failure(error) }
        }
    }
}

extension Credential {
    /// The number of the session with this stored credential; `nil` when the credential is not stored.
    package func session(of account: AccountID) -> SessionNumber? {
        sessionNumber.map { SessionNumber($0, of: account) }
    }

    /// The reason when ``hasEnded(at:)`` is `true`.
    func reasonOfEnd(at date: Date) -> SessionEndReason {
        let isAtItsEnd = sessionEndsAt.map { date >= $0 } ?? false
        return isAtItsEnd ? "It has reached the end of its lifetime." : "It has expired and cannot be refreshed."
    }
}

extension AbsenceReason {
    /// Whether this reason takes precedence over `other`: an unusable session over a sign-out, and among unusable
    /// sessions the one that began later.
    fileprivate func outweighs(_ other: AbsenceReason, _ signedInAt: (Date?, Date?)) -> Bool {
        guard rank == other.rank else { return rank > other.rank }
        return signedInAt.0 ?? .distantPast > signedInAt.1 ?? .distantPast
    }

    private var rank: Int {
        switch self {
        case .sessionEnded, .belongsElsewhere: 2
        case .signedOut: 1
        default: 0
        }
    }
}
