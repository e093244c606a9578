import Foundation
import StoreFormat

/// What a backend answered to a request for refresh. <doc:RefreshingTokens> has the table of what servers answer.
public enum RefreshResult: Sendable {
    /// A new credential. It replaces the old one, refresh token included.
    /// - Parameter dropping: why the ID token that came with it was dropped; the session goes on without it.
    case refreshed(Credential, dropping: (any Error)? = nil)
    /// The backend says that the session is over. Nothing less than its own word may be reported this way.
    case refused(reason: String)
    /// The backend turned the request away in words that may mean that the session is over, or something else. The token
    /// is not sent again for a while; an answer of the same kind after that ends the session.
    /// - Parameter kind: what the answer was, such as status and error code; by default the error's failure code.
    case ambiguous(any Error, kind: String? = nil)
    /// The backend turned the client away and not the token: a mistake in the configuration, here or at the server. The
    /// session stays as it is, and the token is not sent again for a while.
    case misconfigured(any Error)
    /// It failed, and the refresh token is certainly not spent: the request never left, or the backend turned it away
    /// before it looked at the token. Whatever else goes wrong is thrown and leaves the token in doubt.
    case unspent(any Error)
}

/// The sessions of one provider: kept in the shared store, handed out while they are valid, refreshed exactly once however
/// many tasks, client objects or processes ask.
///
/// A provider begins a session after a sign-in, asks for its credential whenever a token is needed, and ends it on
/// sign-out. The exchange with the backend is the only thing it adds. How a refresh goes is told in <doc:RefreshingTokens>.
public final class ProviderSessions: Sendable {
    /// Refreshes a credential at the backend. Throws when the backend gave no clear answer and may have spent the token.
    public typealias Exchange = @Sendable (Credential) async throws -> RefreshResult
    /// Verifies what a refresh brought, ``Credential/pendingVerification``. Throws when that cannot be said now; it is
    /// asked again then.
    public typealias Verify = @Sendable (Credential) async throws -> RefreshVerification
    /// Revokes a credential nobody will use, as well as the backend allows.
    public typealias Discard = @Sendable (Credential) async -> Void
    /// Whether revoking the first credential leaves the second one alive.
    public typealias Independence = @Sendable (_ old: Credential, _ new: Credential) -> Bool

    /// The realm of every account kept here.
    public let realm: String

    let records: SessionRecords
    private let refresher: TokenRefresher
    private let schedule: RefreshSchedule
    private let monitor: RefreshMonitor
    private let time: TimeSource
    private let discard: Discard
    private let areIndependent: Independence
    let cache = SessionCache()
    private let flights = Coalescer<Flight, StoredSession?>()

    /// What callers must agree on to share a refresh: it replaces the session of one generation.
    private struct Flight: Hashable, Sendable {
        let account: AccountID
        let generation: UInt64
        let need: RefreshNeed
    }

    /// Opens the sessions of a provider.
    /// - Parameters:
    ///   - realm: the provider's name, the realm of its accounts.
    ///   - origin: where its sessions come from. Those of another origin under the same realm are left alone and not used.
    ///   - store: the shared store.
    ///   - time: the clock.
    ///   - replay: whether a refresh token may be sent again when nobody knows whether it was spent.
    ///   - monitor: is told what happens.
    ///   - discard: revokes a credential of no more use: a refreshed one that a sign-out overtook, and one that a new
    ///     sign-in replaced.
    ///   - areIndependent: whether it is certain that a new credential survives when the one it replaced is revoked. Some
    ///     servers keep one grant for a person and a client and would end both (RFC 7009, section 2.1), so by default
    ///     nothing is revoked at a sign-in.
    ///   - verify: verifies what a refresh brought beside the tokens, once they are stored; needed by who sets
    ///     ``Credential/pendingVerification``.
    ///   - exchange: refreshes a credential. It should send its requests by ``IdentityEnvironment/transport``, which sends
    ///     none after the refresh's deadline.
    public init(
        realm: String, origin: SessionOrigin, store: any TokenStore, time: TimeSource, replay: ReplayPolicy = .never,
        monitor: RefreshMonitor = RefreshMonitor(), discard: @escaping Discard = { _ in },
        areIndependent: @escaping Independence = { _, _ in false }, verify: Verify? = nil,
        exchange: @escaping Exchange
    ) {
        self.realm = realm
        self.time = time
        self.monitor = monitor
        self.discard = discard
        self.areIndependent = areIndependent
        records = SessionRecords(realm: realm, origin: origin, store: store, time: time)
        schedule = RefreshSchedule()
        refresher = TokenRefresher(
            records: records, schedule: schedule, policy: replay, monitor: monitor, time: time,
            exchange: { origin.claiming(try await exchange($0)) }, verify: verify, discard: discard,
            areIndependent: areIndependent, unstored: UnstoredSessions())
    }

    /// The account that signed in last and still has a session, without a request to anybody.
    /// - Throws: ``TokenStoreError`` when that cannot be known.
    public func lookUp() async throws -> AccountLookup {
        try await records.newestLive()
    }

    /// Whether `account` still has a session, without a request to anybody.
    /// - Throws: ``TokenStoreError`` when that cannot be known.
    public func lookUp(_ account: AccountID) async throws -> AccountLookup {
        try await records.lookUp(account)
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
            areIndependent(replaced, begun)
        else { return }
        // The person has signed in; a server that does not answer must not keep them from going on.
        try? await Deadline.run(.seconds(5), on: time, orThrow: CancellationError()) { [discard] in
            await discard(replaced)
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
        monitor.report(.notRevoked(account, because: ForeignSessionEnded(account: account, reason: objection)))
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
            let refreshed = try await flights.value(for: flight) {
                try await self.refresher.refresh(account, for: need)
            }
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
        let marker = records.store.marker(for: .account(account))
        let mark = marker?.value ?? 0
        let now = time.now
        let session = try await refresher.live(account)
        guard session.credential.pendingVerification == nil else { return session }
        cache.remember(
            session, of: account, marker: marker, mark: mark, readAt: now,
            lookAgainAt: [schedule.earlyDate(of: session.credential), session.credential.sessionEndsAt]
                .compactMap { $0 }.min())
        return session
    }
}
