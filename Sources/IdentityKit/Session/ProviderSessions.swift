import Foundation
import StoreFormat

/// The sessions of one provider: kept in the shared store, handed out while they are valid, refreshed exactly once however
/// many tasks, client objects or processes ask.
///
/// A provider begins a session after a sign-in, asks for its credential whenever a token is needed, and ends it on
/// sign-out. The exchange with the backend is the only thing it adds. How a refresh goes is told in <doc:RefreshingTokens>.
public final class ProviderSessions: Sendable {
    /// The realm of every account kept here.
    public let realm: String

    let records: SessionRecords
    private let refresher: TokenRefresher
    private let schedule = RefreshSchedule()
    private let monitor: RefreshMonitor
    private let time: TimeSource
    private let backend: SessionBackend
    let cache = SessionCache()
    private let flights = Coalescer<Flight, StoredSession?>()

    /// What callers must agree on to share a refresh: it replaces the session of one generation.
    private struct Flight: Hashable, Sendable {
        let account: AccountID
        let generation: UInt64
        let need: RefreshNeed
    }

    /// Opens the sessions of a provider, in the store and with the clock of its environment, whose observers and
    /// ``RefreshMonitor`` are told what happens.
    /// - Parameters:
    ///   - backend: the backend's side of them.
    ///   - context: the provider's name, the realm of its accounts, and its environment.
    public convenience init(_ backend: SessionBackend, in context: ProviderContext) {
        let environment = context.environment
        self.init(
            backend, realm: context.name, store: environment.store, time: environment.time,
            monitor: environment.refreshes)
    }

    /// Opens sessions from their parts, for a provider that has no environment. ``SessionBackend`` says what they are.
    /// - Parameters:
    ///   - realm: the provider's name, the realm of its accounts.
    ///   - origin: where the sessions come from.
    ///   - store: the shared store.
    ///   - time: the clock.
    ///   - replay: whether a refresh token may be sent again when nobody knows whether it was spent.
    ///   - monitor: is told what happens.
    ///   - discard: tells the backend of a session that is not needed.
    ///   - areIndependent: whether a new session survives that an old one is revoked.
    ///   - verify: verifies what a refresh brought and could not verify.
    ///   - exchange: refreshes a session.
    public convenience init(
        realm: String, origin: SessionOrigin, store: any TokenStore, time: TimeSource, replay: ReplayPolicy = .never,
        monitor: RefreshMonitor = RefreshMonitor(), discard: @escaping SessionBackend.Discard = { _ in },
        areIndependent: @escaping SessionBackend.Independence = { _, _ in false },
        verify: SessionBackend.Verify? = nil, exchange: @escaping SessionBackend.Refresh
    ) {
        let backend = SessionBackend(
            origin: origin, replay: replay, discard: discard, areIndependent: areIndependent, verify: verify,
            refresh: exchange)
        self.init(backend, realm: realm, store: store, time: time, monitor: monitor)
    }

    private init(
        _ backend: SessionBackend, realm: String, store: any TokenStore, time: TimeSource, monitor: RefreshMonitor
    ) {
        self.realm = realm
        self.backend = backend
        self.time = time
        self.monitor = monitor
        records = SessionRecords(
            realm: realm, origin: backend.origin, store: ObservedTokenStore(store, monitor.observers), time: time)
        refresher = TokenRefresher(
            records: records, backend: backend, schedule: schedule, monitor: monitor, time: time)
    }

    /// The account that signed in last and still has a session, without a request to anybody.
    /// - Throws: ``TokenStoreError`` when that cannot be known.
    public func lookUp() async throws -> AccountLookup {
        try await records.newestLive()
    }

    /// Whether `account` still has a session, without a request to anybody.
    /// - Throws: ``TokenStoreError`` when that cannot be known.
    public func lookUp(_ account: AccountID) async throws -> AccountLookup {
        let sighting = SessionCache.Sighting(of: account, in: records.store, at: time.now)
        let (lookup, session) = try await records.lookUp(account)
        // Whoever asks for its token next needs not read it again.
        if let session, !refresher.unstored.holds(account) { remember(session, sighting) }
        return lookup
    }

    /// Starts a session: whatever was stored for the account before is replaced, and a refresh in flight loses.
    ///
    /// A replaced session of the same origin is revoked when it has another refresh token, has not ended and
    /// does not take the new one with it. Revoking gets five seconds at most.
    /// - Throws: ``TokenStoreError`` when it could not be stored; then there is no session.
    public func begin(_ credential: Credential, for account: AccountID) async throws {
        let begun = records.origin.claiming(credential)
        let replaced = try await records.replace(account, with: .live(begun))
        cache.forget(account)
        guard let replaced, records.origin.owns(replaced), replaced.clientID.hasBytes(of: begun.clientID),
            begun.refreshToken != nil, replaced.refreshToken != begun.refreshToken, !replaced.hasEnded(at: time.now),
            backend.areIndependent(replaced, begun)
        else { return }
        // The person has signed in; a server that does not answer must not keep them from going on.
        try? await Deadline.run(.seconds(5), on: time, orThrow: CancellationError()) { [backend] in
            await backend.discard(replaced)
        }
    }

    /// Ends the session in the store, whatever its origin: whoever signs out wants it gone. A refresh in flight loses.
    /// - Returns: the credential there was, for revocation; `nil` for that of another origin, which nobody here may see. Then
    ///   ``SessionReport/notRevoked(_:because:)`` is reported.
    /// - Throws: ``TokenStoreError``.
    @discardableResult
    public func end(_ account: AccountID) async throws -> Credential? {
        defer { cache.forget(account) }
        guard let credential = try await records.replace(account, with: nil) else { return nil }
        guard let objection = records.origin.objection(to: credential) else { return credential }
        monitor.report(.notRevoked(account, because: ForeignSessionError(account: account, reason: objection.text)))
        return nil
    }

    /// A valid access token: ``credential(for:scopes:replacing:)`` without the rest.
    /// - Throws: as ``credential(for:scopes:replacing:)``.
    public func accessToken(
        for account: AccountID, scopes: Set<String>, replacing rejectedToken: String? = nil
    ) async throws -> String {
        if rejectedToken == nil, let session = freshSession(of: account, scopes: scopes) {
            return session.credential.accessToken.reveal()
        }
        return try await session(of: account, scopes: scopes, replacing: rejectedToken).credential.accessToken.reveal()
    }

    /// A credential whose access token is valid.
    /// - Parameters:
    ///   - account: the account.
    ///   - scopes: what it must carry.
    ///   - rejectedToken: an access token that a resource server has just refused. When somebody refreshed it meanwhile,
    ///     the newer one is returned and the backend is not asked.
    /// - Throws: ``SessionError``, ``TokenStoreError``, or what the exchange throws.
    public func credential(
        for account: AccountID, scopes: Set<String>, replacing rejectedToken: String? = nil
    ) async throws -> Credential {
        if rejectedToken == nil, let session = freshSession(of: account, scopes: scopes) { return session.credential }
        return try await session(of: account, scopes: scopes, replacing: rejectedToken).credential
    }

    // MARK: From the question to the answer

    /// The usual answer, found without a read and without waiting for anybody; `nil` when there is more to do.
    private func freshSession(of account: AccountID, scopes: Set<String>) -> StoredSession? {
        guard let session = cache.freshSession(of: account, at: time.now),
            GrantedScopes.suffice(session.credential.scopes, for: scopes)
        else { return nil }
        return session
    }

    private func session(
        of account: AccountID, scopes: Set<String>, replacing rejectedToken: String?
    ) async throws -> StoredSession {
        let known = cache.session(of: account, at: time.now)
        let session = if let known { known } else { try await read(account) }
        if let end = session.credential.sessionEndsAt, time.now >= end {
            throw SessionError.ended(account, reason: session.credential.reasonOfEnd(at: time.now))
        }
        let missing = scopes.subtracting(session.credential.scopes)
        if !session.credential.scopes.isEmpty, !missing.isEmpty {
            throw SessionError.insufficientScope(account, missing: missing)
        }
        guard let need = need(for: session, of: account, replacing: rejectedToken) else { return session }
        return try await refreshed(session, of: account, for: need)
    }

    private func need(
        for session: StoredSession, of account: AccountID, replacing rejectedToken: String?
    ) -> RefreshNeed? {
        if session.credential.accessToken.reveal() == rejectedToken {
            return .rejected(session.credential.accessToken)
        }
        if session.credential.isUsable(at: time.now), cache.isPostponed(account, at: time.now) { return nil }
        switch schedule.urgency(of: session.credential, at: time.now) {
        case .none: return nil
        case .early: return .early
        case .due: return .due
        }
    }

    private func refreshed(
        _ session: StoredSession, of account: AccountID, for need: RefreshNeed
    ) async throws -> StoredSession {
        let flight = Flight(account: account, generation: session.generation, need: need)
        do {
            let refreshed = try await flights.value(
                for: flight, onJoining: { monitor.observers.tell(.refreshShared(account)) }
            ) { try await self.refresher.refresh(account, for: need) }
            cache.postpone(account, until: .distantPast)
            return refreshed ?? session
        } catch {
            // A refresh that failed is no reason to withhold a token that still works, unless the session is over.
            guard !isEndOfSession(error), !Task.isCancelled, !need.rejects(session.credential),
                session.credential.isUsable(at: time.now)
            else { throw error }
            let pause = need == .early ? TimeInterval.random(in: 300...600) : 5
            cache.postpone(account, until: time.now + pause)
            monitor.report(.postponed(account, because: error))
            return session
        }
    }

    private func isEndOfSession(_ error: any Error) -> Bool {
        switch error as? SessionError {
        case .notSignedIn, .ended: true
        case .cannotRefresh, .insufficientScope, .refreshInProgress, .refreshRefused, .clientRefused, nil: false
        }
    }

    /// Reads the session and remembers it.
    private func read(_ account: AccountID) async throws -> StoredSession {
        let sighting = SessionCache.Sighting(of: account, in: records.store, at: time.now)
        let session = try await refresher.live(account)
        remember(session, sighting)
        return session
    }

    private func remember(_ session: StoredSession, _ sighting: SessionCache.Sighting) {
        guard session.credential.pendingVerification == nil else { return }
        let lookAgainAt = [schedule.earlyDate(of: session.credential), session.credential.sessionEndsAt]
        cache.remember(session, sighting, lookAgainAt: lookAgainAt.compactMap { $0 }.min())
    }
}
