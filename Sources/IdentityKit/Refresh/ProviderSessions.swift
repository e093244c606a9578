import Foundation

/// What a backend answered to a request for renewal.
public enum RenewalAnswer: Sendable {
    /// A new credential. It replaces the old one, refresh token included.
    case renewed(Credential)
    /// The backend says that the session is over. Nothing less than its own word may be reported this way.
    case refused(reason: String)
}

/// The sessions of one provider: kept in the shared store, handed out while they are valid, renewed exactly once however
/// many tasks, client objects or processes ask.
///
/// A provider begins a session after a sign-in, asks for its credential whenever a token is needed, and ends it on
/// sign-out. The exchange with the backend is the only thing it adds.
public final class ProviderSessions: Sendable {
    /// Renews a credential at the backend. Throws when the backend could not be asked or did not give a clear answer.
    public typealias Exchange = @Sendable (Credential) async throws -> RenewalAnswer

    /// The realm of every account kept here.
    public let realm: String

    private let backend: String
    private let store: any TokenStore
    private let time: TimeSource
    private let exchange: Exchange
    private let renewals = SingleFlight<Renewal, Credential>()
    private let leaseDeadline = Duration.seconds(35)

    /// What callers must agree on to share a renewal. One that began before a token was refused may end with just that
    /// token, so it is no help to whoever was refused.
    private struct Renewal: Hashable, Sendable {
        let account: AccountID
        let rejectedToken: String?
    }

    /// Opens the sessions of a provider.
    /// - Parameters:
    ///   - realm: the provider's name, the realm of its accounts.
    ///   - backend: the base URL. Sessions of another backend under the same realm are left alone and not used.
    ///   - store: the shared store.
    ///   - time: the clock.
    ///   - exchange: renews a credential.
    public init(
        realm: String, backend: String, store: any TokenStore, time: TimeSource, exchange: @escaping Exchange
    ) {
        self.realm = realm
        self.backend = backend
        self.store = store
        self.time = time
        self.exchange = exchange
    }

    /// The account that signed in last and still has a session, without a request to anybody.
    /// - Throws: ``TokenStoreError`` when that cannot be known.
    public func lookUp() async throws -> AccountLookup {
        let listing = try await store.records(in: .accounts)
        var newest: (account: AccountID, signedInAt: Date)?
        var reason = AbsenceReason.neverSignedIn
        for record in listing.records {
            guard let account = AccountID(id: record.key.name), account.realm == realm else { continue }
            switch try SessionRecord(record) {
            case .live(let credential) where credential.backend != backend:
                reason = .sessionEnded("it belongs to \(credential.backend), which is not configured any more")
            case .live(let credential):
                if credential.signedInAt >= newest?.signedInAt ?? .distantPast {
                    newest = (account, credential.signedInAt)
                }
            case .ended(let detail):
                reason = .sessionEnded(detail)
            case nil:
                reason = .signedOut
            }
        }
        if let newest { return .found(newest.account) }
        // A record that cannot be read may be the session we are looking for: absence must not be guessed.
        if let failure = listing.failures.first { throw failure }
        return .none(reason)
    }

    /// Whether `account` still has a session, without a request to anybody.
    /// - Throws: ``TokenStoreError`` when that cannot be known.
    public func lookUp(_ account: AccountID) async throws -> AccountLookup {
        switch try await read(account) {
        case (_, .live(let credential)) where credential.backend == backend: .found(account)
        case (_, .live(let credential)):
            .none(.sessionEnded("it belongs to \(credential.backend), which is not configured any more"))
        case (_, .ended(let detail)): .none(.sessionEnded(detail))
        case (0, nil): .none(.neverSignedIn)
        case (_, nil): .none(.signedOut)
        }
    }

    /// Starts a session: whatever was stored for the account before is replaced, and a renewal in flight loses.
    /// - Throws: ``TokenStoreError`` when it could not be stored; then there is no session.
    public func begin(_ credential: Credential, for account: AccountID) async throws {
        try await replace(account) { _ in try SessionRecord.live(credential).encoded() }
    }

    /// Ends the session in the store. A renewal in flight loses.
    /// - Returns: the credential there was, for revocation.
    /// - Throws: ``TokenStoreError``.
    @discardableResult
    public func end(_ account: AccountID) async throws -> Credential? {
        let previous = try await replace(account) { _ in nil }
        guard case .live(let credential) = previous else { return nil }
        return credential
    }

    /// A credential whose access token is valid.
    /// - Parameters:
    ///   - account: the account.
    ///   - scopes: what it must carry.
    ///   - rejectedToken: an access token that a resource server has just refused. When somebody renewed it meanwhile,
    ///     the newer one is returned and the backend is not asked.
    /// - Throws: ``SessionError``, ``TokenStoreError``, or what the exchange throws.
    public func credential(
        for account: AccountID, scopes: Set<String>, replacing rejectedToken: String? = nil
    ) async throws -> Credential {
        let current = try await live(account).credential
        let missing = scopes.subtracting(current.scopes)
        if !current.scopes.isEmpty, !missing.isEmpty {
            throw SessionError.insufficientScope(account, missing: missing)
        }
        if isFresh(current, replacing: rejectedToken) { return current }
        do {
            return try await renewals.value(for: Renewal(account: account, rejectedToken: rejectedToken)) {
                try await self.renew(account, replacing: rejectedToken)
            }
        } catch  where error.identityFailureClass == .transient && !Task.isCancelled {
            // An early renewal that failed is no reason to withhold a token that still works.
            guard rejectedToken == nil, current.isValid(at: time.now) else { throw error }
            return current
        }
    }

    // MARK: One renewal, from the decision to the stored result

    private func renew(_ account: AccountID, replacing rejectedToken: String?) async throws -> Credential {
        var backoff = Backoff(deadline: leaseDeadline)
        while true {
            // Read again in every round: whoever holds the lease may have renewed already.
            let credential = try await live(account).credential
            if isFresh(credential, replacing: rejectedToken) { return credential }
            if let lease = try await store.lease(for: .account(account)) {
                do {
                    let renewed = try await renewHoldingLease(account, replacing: rejectedToken)
                    await lease.release()
                    return renewed
                } catch {
                    await lease.release()
                    throw error
                }
            }
            guard let pause = backoff.next() else { throw SessionError.renewalInProgress(account) }
            try await time.sleep(for: pause)
        }
    }

    private func renewHoldingLease(
        _ account: AccountID, replacing rejectedToken: String?
    ) async throws -> Credential {
        let (generation, credential) = try await live(account)
        if isFresh(credential, replacing: rejectedToken) { return credential }
        guard credential.refreshToken != nil else { throw SessionError.cannotRenew(account) }
        switch try await exchange(credential) {
        case .renewed(let renewed):
            // Stored before it is handed out: a token nobody can find again is a token lost.
            return try await commit(renewed, for: account, replacing: generation)
        case .refused(let reason):
            return try await conclude(account, refusal: reason, of: generation)
        }
    }

    private func commit(
        _ credential: Credential, for account: AccountID, replacing generation: UInt64
    ) async throws -> Credential {
        do {
            try await store.write(
                SessionRecord.live(credential).encoded(), for: .account(account), replacing: generation)
            return credential
        } catch TokenStoreError.conflict {
            // A sign-out or a new sign-in came first and wins; the result is dropped.
            return try await live(account).credential
        }
    }

    private func conclude(
        _ account: AccountID, refusal reason: String, of generation: UInt64
    ) async throws -> Credential {
        do {
            try await store.write(
                SessionRecord.ended(reason: reason).encoded(), for: .account(account), replacing: generation)
        } catch TokenStoreError.conflict {
            // The refused token was no longer the current one, so the refusal says nothing about the session.
            let current = try await live(account).credential
            if current.isValid(at: time.now) { return current }
        }
        throw SessionError.ended(account, reason: reason)
    }

    // MARK: Reading and replacing the record

    private func isFresh(_ credential: Credential, replacing rejectedToken: String?) -> Bool {
        !credential.isDueForRenewal(at: time.now) && credential.accessToken.reveal() != rejectedToken
    }

    private func read(_ account: AccountID) async throws -> (generation: UInt64, session: SessionRecord?) {
        guard let record = try await store.record(for: .account(account)) else { return (0, nil) }
        return (record.generation, try SessionRecord(record))
    }

    private func live(_ account: AccountID) async throws -> (generation: UInt64, credential: Credential) {
        let (generation, session) = try await read(account)
        switch session {
        case .live(let credential) where credential.backend == backend:
            return (generation, credential)
        case .ended(let reason):
            throw SessionError.ended(account, reason: reason)
        case .live, nil:
            throw SessionError.notSignedIn(account)
        }
    }

    /// Replaces the record whatever it is, again when somebody was faster: signing in and out always win.
    @discardableResult
    private func replace(
        _ account: AccountID, with content: (SessionRecord?) throws -> Data?
    ) async throws -> SessionRecord? {
        while true {
            let (generation, session) = try await read(account)
            do {
                try await store.write(content(session), for: .account(account), replacing: generation)
                return session
            } catch TokenStoreError.conflict {
                try Task.checkCancellation()
            }
        }
    }
}
