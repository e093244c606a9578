import Foundation

/// A live session, or the view of one of its further grants (``Grant``), which has the grant's tokens. A class, because
/// every call for a token passes the session on, and copying a credential costs more than the rest of the call.
final class StoredSession: Sendable {
    let generation: UInt64
    /// The tokens of the session, with the session's number. In the view of a further grant, the tokens of that grant.
    let credential: Credential
    /// The identifier of the further grant; `nil` for the session's first grant.
    let grant: String?
    /// The session with all grants, if this is the view of a further grant; otherwise `nil`.
    private let whole: StoredSession?
    private let isStored: Bool

    init(generation: UInt64, credential: Credential, isStored: Bool = true) {
        (self.generation, self.isStored, grant, whole) = (generation, isStored, nil, nil)
        guard credential.sessionNumber == nil else {
            self.credential = credential
            return
        }
        // If the stored credential has no number, use the generation of its record as the session's number.
        var numbered = credential
        numbered.sessionNumber = generation
        self.credential = numbered
    }

    private init(_ grant: Grant, of whole: StoredSession) {
        (generation, isStored) = (whole.generation, whole.isStored)
        (self.grant, self.whole, credential) = (grant.id, whole, grant.credential)
    }

    /// The view of the further grant with the identifier `grant`, or this session if `grant` is `nil`. Returns `nil` when
    /// the session has no such grant.
    func of(_ grant: String?) -> StoredSession? {
        guard let grant else { return self }
        return credential.grants.first { $0.id == grant }.map { StoredSession($0, of: self) }
    }

    /// The whole session with all grants.
    var all: StoredSession { whole ?? self }

    /// The whole session to store after this grant got `credential`. If `credential` is `nil`, a further grant is
    /// removed, and the first grant is kept. The other grants are unchanged, so their ``RefreshIntent`` stays valid.
    func all(with credential: Credential?) -> Credential {
        var all = merged(with: credential)
        if !all.grants.isEmpty { all.grants = all.grants.map(\.stored) }
        return all
    }

    private func merged(with credential: Credential?) -> Credential {
        guard let whole, let grant else { return credential ?? self.credential }
        // If this session is not stored, there may be no record yet with the tokens of its first grant. In that case,
        // do not set the `tokensSince` of these tokens to the generation of a record.
        var next = whole.isStored ? whole.credentialKeepingTokens : whole.credential
        next.grants = next.grants.compactMap { other in
            other.id == grant ? credential.map { Grant(id: grant, $0) } : other
        }
        return next
    }

    /// The session after this grant got `credential`.
    /// - Parameters:
    ///   - generation: the generation of the record that contains the credential; `nil` when it is not stored.
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

    /// The generation that the record had when it first contained these tokens. For a further grant, a counter instead,
    /// because other grants write the record too.
    var tokensSince: UInt64 { credential.tokensSince ?? generation }

    /// The credential for a write that changes no token. Keeps the value of ``tokensSince``, so that the note of the
    /// last refresh (``RefreshIntent``) stays valid.
    var credentialKeepingTokens: Credential {
        var kept = credential
        kept.tokensSince = tokensSince
        return kept
    }

    /// The result of looking up this session of `account`: suspended or found.
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
    /// Running readings of all sessions, which concurrent look-ups share. The key is the generation of the current
    /// account's record, which each sign-in and sign-out changes.
    let scans = Coalescer<UInt64, AccountLookup>()

    /// The stored live session of `account`, even if it is suspended or its tokens have expired.
    /// - Throws: ``/IdentityCore/SessionError`` when there is none of this origin, or ``/IdentityCore/TokenStoreError``.
    func live(_ account: AccountID) async throws -> StoredSession {
        try live(account, in: try await store.record(for: .account(account)))
    }

    /// The live session in the record of `account`, even if it is suspended or its tokens have expired.
    /// - Throws: ``/IdentityCore/SessionError`` when there is none of this origin, or ``/IdentityCore/TokenStoreError`` when
    ///   the record is damaged.
    func live(_ account: AccountID, in record: StoreRecord?) throws -> StoredSession {
        guard let record else { throw SessionError.notSignedIn(account) }
        switch try SessionRecord(record) {
        case .live(let credential):
            if let objection = origin.objection(to: credential) {
                throw SessionError.belongsElsewhere(account, reason: objection)
            }
            return StoredSession(generation: record.generation, credential: credential)
        case .ended(let session):
            throw SessionError.ended(account, reason: session.endReason)
        case nil:
            throw SessionError.notSignedIn(account)
        }
    }

    typealias Found = (account: AccountID, credential: Credential)

    /// The result of searching a listing for the newest session of this realm.
    struct Listed {
        let lookup: AccountLookup
        /// The account that signed in last, with its session; `nil` for none.
        let found: Found?
        /// The account that the reason in ``lookup`` refers to; `nil` when an account has a session, and when no account
        /// has ever signed in.
        let absent: AccountID?
        /// Number of records in the listing, of all realms.
        let count: Int
    }

    /// Searches `listing` for the account that signed in last and still has a session.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when no session is found, but a record could not be read or does not
    ///   describe a session.
    func newestLive(in listing: StoreListing) throws -> Listed {
        var newest: Found?
        // The reason to report if no account has a usable session. An ended session, or one of another origin, takes precedence
        // over a sign-out, and a later sign-in over an earlier one.
        var absence = (reason: AbsenceReason.neverSignedIn, signedInAt: Date?.none, account: AccountID?.none)
        // Keep the first failure: a record that could not be read may contain the session that is looked for.
        var failure: (any Error)? = listing.failures.first
        for record in listing.records {
            guard let account = AccountID(id: record.key.name), account.realm.hasBytes(of: realm) else { continue }
            let state: State
            do {
                state = try self.state(of: record)
            } catch {
                failure = failure ?? error
                continue
            }
            switch state {
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
        if let failure { throw failure }
        return Listed(lookup: .absent(absence.reason), found: nil, absent: absence.account, count: count)
    }

    /// Looks up whether `account` still has a session, and returns that session, even if it is suspended.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func lookUp(_ account: AccountID) async throws -> (lookup: AccountLookup, session: StoredSession?) {
        guard let record = try await store.record(for: .account(account)) else { return (.absent(.neverSignedIn), nil) }
        switch try state(of: record) {
        case .live(let session): return (session.lookup(account), session)
        case .absent(let reason, _): return (.absent(reason), nil)
        }
    }

    /// The meaning of a record for this provider: a usable session, or the reason why there is none.
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
            return .absent(.sessionEnded(session.endReason), signedInAt: session.signedInAt)
        case nil:
            return .absent(.signedOut, signedInAt: nil)
        }
    }

    /// Replaces the record unconditionally, because sign-in and sign-out take precedence over all other writes. A
    /// damaged record is quarantined first.
    /// - Parameters:
    ///   - account: the account of the record.
    ///   - session: the new session, which may keep further grants of the former one
    ///     (``SessionRecord/keepingGrants(of:)``); `nil` to erase the record.
    ///   - isStepUp: whether `session` continues the stored one. If `true`, a damaged record is an error.
    /// - Returns: the former credential; `nil` when there was no live session that could be read.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`. For a step-up,
    ///   ``/IdentityCore/SessionError/notSignedIn(_:)`` when the account has signed out.
    @discardableResult
    func replace(
        _ account: AccountID, with session: SessionRecord?, isStepUp: Bool = false
    ) async throws -> Credential? {
        var former: StoreRecord?
        do {
            try await store.update(.account(account), settingDamagedAside: !isStepUp) { record in
                former = record
                let begun = isStepUp ? try session.map { try continuing(account, in: record, with: $0) } : session
                let next = begun?.numbered(replacing: record?.generation ?? 0)
                return .replace(try next.map { next in record.map(next.keepingGrants) ?? next }?.encoded())
            }
        } catch let error as TokenStoreError {
            // An erasure may have happened although its confirmation was lost. As an error it would leave the tokens
            // unrevoked, because no later call knows them.
            guard case .unavailable = error, session == nil, former?.content != nil,
                let found = try? await store.record(for: .account(account)), found.content == nil
            else { throw error }
        }
        guard let former, case .live(let credential)? = try? SessionRecord(former) else { return nil }
        return credential
    }

    /// Returns the session of `stepUp`, completed with the refresh token, ID token and profile of the live session in `record`
    /// where it has none. If there is no such session, because it has ended by itself or is of another origin, returns `stepUp`
    /// unchanged.
    /// - Throws: ``/IdentityCore/SessionError/notSignedIn(_:)`` when the account has signed out, or
    ///   ``/IdentityCore/TokenStoreError`` when the record is damaged.
    private func continuing(
        _ account: AccountID, in record: StoreRecord?, with stepUp: SessionRecord
    ) throws -> SessionRecord {
        guard case .live(let credential) = stepUp else { return stepUp }
        do {
            return .live(credential.steppingUp(try live(account, in: record).credential))
        } catch let error as SessionError {
            if case .notSignedIn = error { throw error }
            // The session has ended by itself, or is of another origin.
            return stepUp
        }
    }

    /// Ends a live session of this origin, and stores the reason.
    /// - Returns: the former credential; `nil` when there was no such session or `isMeant` rejected it.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`.
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
    /// - Returns: with the store's key, the former credential; `nil` when there was no live session. Without the key, the error
    ///   about the key, because it is unknown whether the session was live; `nil` when the record was erased already.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`.
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
    /// The number of the session with this credential; `nil` for a credential that was not read from a stored session.
    package func session(of account: AccountID) -> SessionNumber? {
        sessionNumber.map { SessionNumber($0, of: account) }
    }

    /// Why the session has ended. Meaningful only if ``hasEnded(at:)`` is `true`.
    func reasonOfEnd(at date: Date) -> String {
        let isAtItsEnd = sessionEndsAt.map { date >= $0 } ?? false
        return isAtItsEnd ? "It has reached the end of its lifetime." : "It has expired and cannot be refreshed."
    }
}

extension AbsenceReason {
    /// Whether this reason takes precedence over `other`. Reasons have this order: a session that has ended or is of
    /// another origin, a sign-out, and last any other reason, such as no sign-in at all. Among reasons of the same
    /// rank, the later sign-in takes precedence.
    /// - Parameter signedInAt: the date of the sign-in for this reason, and the date for `other`; `nil` without a
    ///   sign-in.
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
