import Foundation
import IdentityStoreFormat

/// The sessions of one provider, in the shared store. An expired access token is refreshed once, however many tasks,
/// clients and processes ask for it.
///
/// A provider begins a session after a sign-in, asks for its credential whenever a token is needed, and ends it on
/// sign-out. Its ``SessionBackend`` sends the requests. <doc:RefreshingTokens> describes a refresh.
public final class ProviderSessions: Sendable {
    /// The realm of every account, which is the name of the provider.
    public let realm: String

    let records: SessionRecords
    let refresher: TokenRefresher
    let schedule: RefreshSchedule
    let monitor: RefreshMonitor
    let time: TimeSource
    let backend: SessionBackend
    private let outbox: RevocationOutbox?
    let cache: SessionCache
    private let flights = Coalescer<Flight, StoredSession?>()

    /// Key of a running refresh. Callers with equal keys share the refresh.
    private struct Flight: Hashable, Sendable {
        let account: AccountID
        let generation: UInt64
        let need: RefreshNeed
    }

    /// The sessions of a provider, with the store, the clock and the observers of its environment.
    /// - Parameters:
    ///   - backend: the functions that refresh and revoke the sessions.
    ///   - context: the provider's name, which is the realm of its accounts, and its environment.
    public convenience init(_ backend: SessionBackend, in context: ProviderContext) {
        let environment = context.environment
        self.init(
            backend, realm: context.name, store: environment.store, time: environment.time,
            monitor: environment.refreshMonitor, transport: environment.transport)
    }

    /// Sessions of a provider without an environment. ``SessionBackend`` describes the functions.
    /// - Parameters:
    ///   - realm: the provider's name, which is the realm of its accounts.
    ///   - origin: the origin of the sessions. Sessions of another origin in the same realm are kept but not used.
    ///   - store: the shared store.
    ///   - time: the clock.
    ///   - replay: whether a refresh token may be sent again when it is unknown whether the token was spent.
    ///   - monitor: receives the reports about the sessions.
    ///   - discard: revokes a credential that is not needed, such as one that was refreshed during a sign-out, or
    ///     replaced by a new sign-in.
    ///   - areIndependent: returns whether a new session certainly stays valid when an old one is revoked.
    ///   - verify: verifies a refreshed session; required if `exchange` sets `Credential.pendingVerification`.
    ///   - inquire: asks the issuer whether it still accepts an access token that a resource refused, in a session without a
    ///     refresh token; `nil` suspends such a session.
    ///   - revoke: revokes a session whose person has signed out; `nil` if sessions cannot be revoked.
    ///   - exchange: refreshes a session, and sends the requests itself. After any error, the refresh token counts as possibly
    ///     spent.
    package convenience init(
        realm: String, origin: SessionOrigin, store: any TokenStore, time: TimeSource, replay: ReplayPolicy = .never,
        monitor: RefreshMonitor = RefreshMonitor(), discard: @escaping SessionBackend.Discard = { _ in },
        areIndependent: @escaping SessionBackend.Independence = { _, _ in false },
        verify: SessionBackend.Verify? = nil, inquire: SessionBackend.Inquire? = nil,
        revoke: SessionBackend.Revoke? = nil, exchange: @escaping SessionBackend.Exchange
    ) {
        var backend = SessionBackend(
            origin: origin, replay: replay, discard: discard, areIndependent: areIndependent, inquire: inquire,
            revoke: revoke, exchange: exchange)
        backend.verify = verify
        self.init(
            backend, realm: realm, store: store, time: time, monitor: monitor,
            transport: DefaultTransport.make(time: time))
    }

    /// Sessions that another program keeps and refreshes.
    /// - Parameter refusal: the error of a call for which a session has to be refreshed.
    package convenience init(
        realm: String, readingThoseOf origin: SessionOrigin, store: any TokenStore, time: TimeSource,
        refusing refusal: any Error
    ) {
        var backend = SessionBackend(origin: origin) { _, _ in .notSent(refusal) }
        backend.refusal = refusal
        self.init(
            backend, realm: realm, store: store, time: time, monitor: RefreshMonitor(),
            transport: DefaultTransport.make(time: time))
    }

    private init(
        _ backend: SessionBackend, realm: String, store: any TokenStore, time: TimeSource, monitor: RefreshMonitor,
        transport: any HTTPTransport
    ) {
        self.realm = realm
        self.backend = backend
        self.time = time
        self.monitor = monitor
        schedule = RefreshSchedule()
        cache = SessionCache(schedule)
        records = SessionRecords(
            realm: realm, origin: backend.origin, store: ObservedTokenStore(store, monitor.observers), time: time)
        refresher = TokenRefresher(
            records: records, backend: backend, schedule: schedule, monitor: monitor, time: time,
            transport: transport)
        outbox = RevocationOutbox(backend, records: records, monitor: monitor)
    }

    /// The account that signed in last and still has a session, according to the store. May also start to send, in the
    /// background, the revocations that could not be sent earlier.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    package func lookUp() async throws -> AccountLookup {
        outbox?.deliver()
        return try await records.newestLive()
    }

    /// Whether `account` still has a session, according to the store. May also start to send, in the background, the
    /// revocations that could not be sent earlier.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func lookUp(_ account: AccountID) async throws -> AccountLookup {
        outbox?.deliver()
        let stamp = VersionStamp(of: account, in: records.store, at: time.now)
        let (lookup, session) = try await records.lookUp(account)
        // Remember the session, so that the next call for a token finds it in the cache.
        if let session, !refresher.unstored.holds(account) { remember(session, of: account, stamp, keepsWhole: false) }
        return lookup
    }

    /// Begins a session, which replaces the stored session of the account. The result of a running refresh is
    /// discarded.
    ///
    /// The replaced session is revoked, within five seconds, if all of these conditions are met:
    /// - The replaced session has not ended, and has the same origin and client as the new one.
    /// - The new session has a refresh token, which differs from that of the replaced session.
    /// - The revocation cannot end the new session or a further grant of the replaced one.
    ///
    /// If the task is already cancelled, no session begins, and `credential` is revoked, unless that could end the stored
    /// session.
    /// - Throws: ``/IdentityCore/TokenStoreError`` or `CancellationError` when the session was not stored, in which
    ///   case it has not begun. An error with the code `token_malformed` for a token that is empty, or has other
    ///   characters than ASCII letters, digits, punctuation and spaces.
    public func begin(_ credential: Credential, for account: AccountID) async throws {
        try await begin(credential, for: account, isStepUp: false)
    }

    /// Begins a session as ``begin(_:for:)`` does. A step-up continues the stored session with more rights: the refresh token,
    /// ID token and profile are taken from the stored session where `credential` has none, even if that session is refreshed
    /// meanwhile. Nothing is taken from a session of another backend or client.
    /// - Throws: as ``begin(_:for:)``. For a step-up, ``/IdentityCore/SessionError/notSignedIn(_:)`` when the account has
    ///   signed out meanwhile. Before that error is thrown, ``drop(_:of:)`` is called for `credential`.
    package func begin(_ credential: Credential, for account: AccountID, isStepUp: Bool) async throws {
        _ = try credential.accessToken.reveal().asToken()
        if let token = credential.refreshToken { _ = try token.reveal().asToken("refresh token") }
        let new = records.origin.claiming(credential)
        // A cancelled sign-in must not begin a session, even if the last step of the sign-in ignored the cancellation.
        guard !Task.isCancelled else {
            await drop(new, of: account)
            throw CancellationError()
        }
        let replaced: Credential?
        do {
            replaced = try await records.begin(new, for: account, isStepUp: isStepUp)
        } catch let error as SessionError {
            await drop(new, of: account)
            throw error
        }
        cache.forget(account)
        guard let replaced, records.origin.owns(replaced) else { return }
        let begun = isStepUp ? new.steppingUp(replaced) : new
        guard replaced.clientID.hasBytes(of: begun.clientID), begun.refreshToken != nil,
            replaced.refreshToken != begun.refreshToken, !replaced.hasEnded(at: time.now)
        else { return }
        await discard([replaced], sparing: [begun] + replaced.grants.map(\.credential))
    }

    /// Revokes replaced grants within five seconds, but only those whose revocation leaves the remaining grants valid.
    private func discard(_ replaced: [Credential], sparing left: [Credential]) async {
        let independent = replaced.filter { old in left.allSatisfy { backend.areIndependent(old, $0) } }
        guard !independent.isEmpty else { return }
        // The sign-in has succeeded and must not wait long for a server that does not respond.
        try? await Deadline.run(.seconds(5), on: time, orThrow: CancellationError()) { [backend] in
            for credential in independent { await backend.discard(credential) }
        }
    }

    /// Adds an authorization to a session, as a further grant or, without a new refresh token, as a part of the first
    /// grant. Further grants that the new one covers are replaced. Waits for a running refresh, for up to 45 seconds.
    /// - Throws: ``/IdentityCore/SessionError`` when the session no longer exists or the refresh does not end in time,
    ///   ``/IdentityCore/TokenStoreError`` and `CancellationError`; before these errors are thrown, ``drop(_:of:)`` is
    ///   called to revoke the authorization. Also throws `MalformedTokenError`, without revoking anything.
    package func add(_ authorization: Credential, to account: AccountID) async throws {
        _ = try authorization.accessToken.reveal().asToken()
        if let token = authorization.refreshToken { _ = try token.reveal().asToken("refresh token") }
        let added = records.origin.claiming(authorization)
        let replaced: [Credential]
        let left: [Credential]
        do {
            try Task.checkCancellation()
            (replaced, left) = try await refresher.add(added, to: account)
        } catch {
            await drop(added, of: account)
            throw error
        }
        cache.forget(account)
        await discard(replaced, sparing: left)
    }

    /// Revokes an authorization that was not added, unless that could end the stored session. If the session cannot be
    /// read, nothing is revoked: an unused token that stays valid does less harm than a session that ends.
    package func drop(_ authorization: Credential, of account: AccountID) async {
        // Use a task of its own, so that the tokens are revoked even if the caller is cancelled.
        await Task {
            let stored: Credential?
            do {
                stored = try await storedCredential(of: account)
            } catch {
                return
            }
            await discard([authorization], sparing: stored?.grantsApart ?? [])
        }.value
    }

    /// Removes the session from the store, whatever its origin and even without the store's key. The result of a
    /// running refresh is discarded.
    /// - Returns: the former credential, for ``revoke(_:of:)``; `nil` when there was no live session. Also `nil`, with
    ///   the event `session.not_revoked`, when the session is of another origin or cannot be read without the key.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    @discardableResult
    public func end(_ account: AccountID) async throws -> Credential? {
        let former = try await erase(account)
        await LocalEnd.happen(of: account)
        switch former {
        case nil: return nil
        case .failure(let error): monitor.report(.notRevoked(account, because: error))
        case .success(let credential):
            guard let other = records.origin.otherOrigin(of: credential) else { return credential }
            monitor.report(.notRevoked(account, because: ForeignSessionError(account: account, otherOrigin: other)))
        }
        return nil
    }

    /// Ends the session locally, stores the reason, and revokes its tokens.
    /// - Parameters:
    ///   - account: the account of the session.
    ///   - reason: the reason as a sentence, such as that the person has withdrawn their consent.
    ///   - isMeant: returns whether to end the session with this stored credential, which may be newer than the caller
    ///     expects.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    func end(_ account: AccountID, because reason: String, where isMeant: (Credential) -> Bool) async throws {
        defer { cache.forget(account) }
        let ended = try await SessionAction.end.whileWriting {
            try await records.end(account, because: reason, where: isMeant)
        }
        guard let ended else { return }
        await records.store.eraseNotes(of: account, ended)
        await records.store.writeCurrentAgain(of: account)
        await revoke(ended, of: account)
    }

    private func erase(_ account: AccountID) async throws -> Result<Credential, TokenStoreError>? {
        defer { cache.forget(account) }
        let former = try await SessionAction.signOut.whileWriting { try await records.erase(account) }
        await records.store.eraseNotes(of: account, former.flatMap { try? $0.get() })
        await records.store.writeCurrentAgain(of: account)
        return former
    }

    /// Revokes a session that has ended locally, with its ``SessionBackend`` and within five seconds.
    ///
    /// If the revocation fails but may succeed later, such as without a connection or after a transient error of the server,
    /// the store keeps the revocation for at most a day, and the event is `session.revocation_postponed`. Any process that has
    /// a provider with this realm and origin may then send the revocation. If the revocation cannot succeed or cannot be
    /// stored, the event is `session.not_revoked`.
    /// - Parameters:
    ///   - credential: the result of ``end(_:)``.
    ///   - account: the account of the session.
    /// - Returns: why the session is not revoked yet; `nil` when it is, or when the backend cannot revoke sessions.
    @discardableResult
    public func revoke(_ credential: Credential, of account: AccountID) async -> (any Error)? {
        await outbox?.revoke(credential, of: account)
    }

    /// Attempts the due revocations, at most once a minute, and waits for the attempts.
    package func deliverRevocations() async { await outbox?.deliver().value }

    /// A valid access token that is as fresh as `freshness` requires, refreshed when the current one is not.
    /// - Throws: as ``credential(for:scopes:replacing:)``. If the current token is valid but not fresh enough, the method
    ///   also throws when the refresh fails or the outcome of an earlier refresh is unknown.
    nonisolated(nonsending) package func accessToken(
        for account: AccountID, scopes: Set<String>, freshness: TokenFreshness = .any
    ) async throws -> String {
        if case .any = freshness, let known = fresh(account, scopes: scopes) { return known.accessToken.reveal() }
        let keepsWhole =
            switch freshness {
            case .any, .other: false
            // Cache the whole session, because the next call with this freshness cannot use the cached token alone.
            case .lasting, .new: true
            }
        let session = try await session(of: account, scopes: scopes, freshness: freshness, keepsWhole: keepsWhole)
        return session.credential.accessToken.reveal()
    }

    /// A credential whose access token is valid.
    /// - Parameters:
    ///   - account: the account.
    ///   - scopes: the scopes that the token must have.
    ///   - rejectedToken: an access token that a resource server has just refused. If the session was refreshed
    ///     meanwhile, the newer token is returned without a request.
    /// - Throws: ``/IdentityCore/SessionError``, ``/IdentityCore/TokenStoreError``, `CancellationError`, or what the
    ///   backend throws.
    public func credential(
        for account: AccountID, scopes: Set<String>, replacing rejectedToken: String? = nil
    ) async throws -> Credential {
        if rejectedToken == nil, let known = fresh(account, scopes: scopes)?.session { return known.credential }
        let freshness = TokenFreshness(replacing: rejectedToken)
        return try await session(of: account, scopes: scopes, freshness: freshness, keepsWhole: true).credential
    }

    /// The credential of the session that an app has shown, for a write that is meant for the person of that session.
    /// - Throws: `SessionChangedError` when the shown session is no longer the current one of its account, otherwise as
    ///   ``credential(for:scopes:replacing:)``.
    package func credential(
        of shown: SessionNumber, scopes: Set<String> = [], replacing rejectedToken: String? = nil
    ) async throws -> Credential {
        let credential = try await credential(for: shown.account, scopes: scopes, replacing: rejectedToken)
        guard credential.session(of: shown.account) == shown else { throw SessionChangedError(shown) }
        return credential
    }

    // MARK: Finding a session

    /// The session from the cache; `nil` when it has to be read or refreshed, or lacks one of `scopes`. The function
    /// does not read the store and does not suspend.
    private func fresh(_ account: AccountID, scopes: Set<String>) -> SessionCache.Snapshot? {
        guard let known = cache.fresh(account, at: time.now), GrantedScopes.suffice(known.scopes, for: scopes) else {
            return nil
        }
        return known
    }

    private func session(
        of account: AccountID, scopes: Set<String>, freshness: TokenFreshness, keepsWhole: Bool
    ) async throws -> StoredSession {
        if freshness.rejected == nil, let session = try await refreshedUnread(account, scopes: scopes) {
            return session
        }
        let known = cache.session(of: account, at: time.now)
        let session = if let known { known } else { try await read(account, keepsWhole: keepsWhole) }
        let need = try need(for: session, of: account, scopes: scopes, freshness: freshness)
        guard let need else { return session }
        return try await refreshed(session, of: account, for: need)
    }

    /// Why `session` has to be refreshed before use; `nil` when it can be used as it is.
    /// - Throws: ``/IdentityCore/SessionError`` when it cannot be used.
    private func need(
        for session: StoredSession, of account: AccountID, scopes: Set<String>, freshness: TokenFreshness = .any
    ) throws -> RefreshNeed? {
        try checkEnd(of: session, account)
        guard GrantedScopes.suffice(session.credential.scopes, for: scopes) else {
            throw SessionError.insufficientScope(account, missing: scopes.subtracting(session.credential.scopes))
        }
        if session.credential.accessToken.reveal() == freshness.rejected {
            return .rejected(session.credential.accessToken)
        }
        if freshness.isMissed(by: session.credential.expiresAt, at: time.now) {
            return .replaced(session.credential.accessToken)
        }
        if session.credential.isUsable(at: time.now), cache.isPostponed(account, at: time.now) { return nil }
        switch schedule.urgency(of: session.credential, at: time.now) {
        case .none: return nil
        case .early: return .early
        case .due: return .due
        }
    }

    /// Checks that the session has not reached its end.
    /// - Throws: ``/IdentityCore/SessionError/ended(_:reason:)`` when it has.
    func checkEnd(of session: StoredSession, _ account: AccountID) throws {
        guard let end = session.credential.sessionEndsAt, time.now >= end else { return }
        throw SessionError.ended(account, reason: session.credential.reasonOfEnd(at: time.now))
    }

    private func refreshed(
        _ session: StoredSession, of account: AccountID, for need: RefreshNeed
    ) async throws -> StoredSession {
        do {
            let refreshed = try await refreshedOnce(account, session.generation, for: need) ?? session
            // An unchanged generation means that no token was obtained, because the outcome of an earlier refresh is
            // unknown. A refresh changes the generation, even if the server returned the same token again.
            if need == .replaced(refreshed.credential.accessToken), refreshed.generation == session.generation {
                throw SessionError.refreshInProgress(account)
            }
            return refreshed
        } catch {
            // If a refresh fails, keep using a token that is still valid, unless the session has ended.
            guard !isEndOfSession(error), !Task.isCancelled, !need.isDemand,
                session.credential.isUsable(at: time.now)
            else { throw error }
            let pause = need == .early ? TimeInterval.random(in: 300...600) : 5
            cache.postpone(account, for: pause, from: time.now)
            monitor.report(.postponed(account, because: error))
            return session
        }
    }

    /// Refreshes a session whose token, according to the cache, has expired; `nil` when the caller has to read the
    /// session first. The session is not read before the refresh, because the refresh reads it under the lease. With a
    /// store on a server, that saves a round trip.
    private func refreshedUnread(_ account: AccountID, scopes: Set<String>) async throws -> StoredSession? {
        guard let known = cache.expired(account, at: time.now), GrantedScopes.suffice(known.scopes, for: scopes),
            !refresher.unstored.holds(account),
            let session = try await refreshedOnce(account, known.generation, for: .due)
        else { return nil }
        return try need(for: session, of: account, scopes: scopes) == nil ? session : nil
    }

    /// Refreshes once for all callers with the same need; `nil` when another process is refreshing and `need` is early,
    /// because an early refresh does not wait.
    func refreshedOnce(
        _ account: AccountID, _ generation: UInt64, for need: RefreshNeed
    ) async throws -> StoredSession? {
        let refreshed = try await flights.value(
            for: Flight(account: account, generation: generation, need: need),
            onJoining: {
                let wish = need.wish
                monitor.observers.emit(.refreshShared(account, resource: wish?.resource, grant: wish?.grant))
            }
        ) { try await self.refresher.refresh(account, for: need) }
        cache.resume(account)
        outbox?.deliver()
        return refreshed
    }

    func isEndOfSession(_ error: any Error) -> Bool {
        switch error as? SessionError {
        case .notSignedIn, .ended, .belongsElsewhere: true
        case .suspended, .cannotRefresh, .insufficientScope, .refreshInProgress, .refreshPostponed, .refreshRefused,
            .clientRefused, .stepUpNeeded, .resourceNotGranted, nil:
            false
        }
    }

    /// Reads the session, and stores it in the cache unless its access token must not be handed out.
    func read(_ account: AccountID, keepsWhole: Bool) async throws -> StoredSession {
        let stamp = VersionStamp(of: account, in: records.store, at: time.now)
        let session = try await refresher.live(account)
        remember(session, of: account, stamp, keepsWhole: keepsWhole)
        return session
    }

    private func remember(
        _ session: StoredSession, of account: AccountID, _ stamp: VersionStamp?, keepsWhole: Bool
    ) {
        guard !session.credential.isWithheld else { return }
        let lookAgainAt = [schedule.earlyDate(of: session.credential), session.credential.sessionEndsAt]
        cache.remember(
            session, of: account, stamp, lookAgainAt: lookAgainAt.compactMap { $0 }.min(), keepsWhole: keepsWhole)
    }
}
