import Foundation
import IdentityKit

/// The sessions of a client, by the names that the app gives them.
///
/// A realm is the part of an ``/IdentityCore/AccountID`` that contains the name of the provider. Usually the session without a
/// name is stored in the realm of ``ThunderIDProvider``, under the person's identifier, so the client and the provider share
/// it. If a session of another client or server is stored there, the session without a name is stored in the client's own
/// realm. All named sessions are stored in the client's own realm, too. If no session has a given name, the name can also
/// be the `account` of one of the provider's accounts.
struct ClientSessions: Sendable {
    /// The stored name of the session without a name.
    static let unnamed = "default"

    /// Returns the stored name of a session: `unnamed` if `sessionID` is `nil` or empty.
    static func name(_ sessionID: String?) -> String { sessionID.flatMap { $0.isEmpty ? nil : $0 } ?? unnamed }

    let sessions: ProviderSessions
    private let tokens: TokenService?
    private let environment: IdentityEnvironment
    /// The realm of named sessions. It contains the client's name and the base URL, so that sessions of other clients
    /// and at other servers in the same store are not replaced.
    private let ownRealm: String
    /// For each name, the account that was found last, and the session that the app has shown last.
    private let current = Locked<[String: CurrentSession<AccountID>]>([:])
    /// For each account, whether it had a session when its record was last read, and the version of the record at that time.
    /// While the version is current, the record is not read again.
    private let sightings = Locked<[AccountID: (isKept: Bool, stamp: VersionStamp)]>([:])
    /// Imports the session that ThunderID's own SDK has stored; `nil` to import none.
    private var importOnce: ImportOnce?

    /// - Parameter former: reads a session of ThunderID's own SDK; `nil` to import none.
    init(
        _ sessions: ProviderSessions, clientName: String, baseURL: ServerURL, tokens: TokenService?,
        _ environment: IdentityEnvironment, former: ImportOnce.Find? = nil
    ) {
        self.sessions = sessions
        self.tokens = tokens
        self.environment = environment
        ownRealm = "thunderid:" + clientName + "@" + baseURL.description
        if let former {
            importOnce = ImportOnce(of: LegacySDKSession.source, for: sessions, find: former) { [self] in
                try await importSession($0)
            }
        }
    }

    /// The realm that the client shares with the provider, and the client's own realm.
    var realms: Set<String> { [sessions.realm, ownRealm] }

    /// Returns the account for a session's name, whether or not the account has a session.
    /// - Throws: ``/IdentityCore/TokenStoreError`` if the store cannot be read, or the error of an import that may
    ///   succeed later.
    func account(_ name: String) async throws -> AccountID {
        let own = AccountID(account: name, realm: ownRealm)
        guard name == Self.unnamed else {
            let shared = shared(name)
            return try await isKept(own) ? own : try await isKept(shared) ? shared : own
        }
        try await importOnce?.finish(unless: {
            if try await isKept(own) { return true }
            return try await sessions.lookUp().account != nil
        })
        if try await isKept(own) { return own }
        let found = try await sessions.lookUp().account
        return current.withLock { current in
            if let found { current[name, default: CurrentSession()].update(found) }
            return current[name]?.known
        } ?? own
    }

    /// Records the session whose user this client has returned to the app; `nil` changes nothing.
    func show(_ session: SessionNumber?, as sessionID: String?) {
        current.withLock { $0[Self.name(sessionID), default: CurrentSession()].show(session) }
    }

    /// Returns the session whose user this client last returned to the app, even if it has ended; `nil` if it has returned
    /// none.
    func shown(_ sessionID: String?) -> SessionNumber? { current.withLock { $0[Self.name(sessionID)]?.shown } }

    /// Returns the current point in a session's sequence of sign-ins and sign-outs, for ``hasSignedOut(_:since:)``.
    func now(_ sessionID: String?) -> CurrentSession<AccountID>.Moment {
        current.withLock { $0[Self.name(sessionID), default: CurrentSession()].now }
    }

    /// Records a sign-out. Sign-ins that have begun before and are still running are undone.
    func noteSignOut(_ sessionID: String?) {
        current.withLock { current in
            let name = Self.name(sessionID)
            let moment = current[name, default: CurrentSession()].beginEnding()
            _ = current[name]?.finishEnding(moment)
        }
    }

    /// Whether a sign-out was recorded since `start`.
    func hasSignedOut(_ sessionID: String?, since start: CurrentSession<AccountID>.Moment) -> Bool {
        current.withLock { $0[Self.name(sessionID)]?.hasSignedOut(since: start) ?? false }
    }

    /// Imports the session of ThunderID's own SDK, unless somebody is signed in, or the last person has signed out.
    private func importSession(_ kept: ExternalSession) async throws -> SessionImportResult {
        let account = try await place(of: kept.credential, Self.unnamed)
        return try await sessions.importSession(kept, as: account) {
            let own = AccountID(account: Self.unnamed, realm: ownRealm)
            if try await isKept(own) { return .alreadySignedIn }
            switch try await sessions.lookUp() {
            case .found, .suspended, .fallback: return .alreadySignedIn
            case .absent(.signedOut): return .signedOut
            case .absent(.neverSignedIn):
                if case .absent(.signedOut) = try await sessions.lookUp(own) { return .signedOut }
                return nil
            case .absent: return nil
            }
        }
    }

    private func shared(_ subject: String) -> AccountID { AccountID(account: subject, realm: sessions.realm) }

    private func isKept(_ account: AccountID) async throws -> Bool {
        let now = environment.time.now
        if let known = sightings.withLock({ $0[account] }), known.stamp.isCurrent(at: now) { return known.isKept }
        let stamp = VersionStamp(of: account, in: environment.store, at: now)
        let isKept = try await sessions.storedCredential(of: account) != nil
        if let stamp { sightings.withLock { $0[account] = (isKept, stamp) } }
        return isKept
    }

    /// Returns the accounts that a name stands for and that have a session. The session without a name stands for all
    /// accounts of the provider's realm, and for the account in the client's own realm.
    private func keptAccounts(_ name: String) async throws -> [AccountID] {
        var accounts = Set([try await account(name)])
        if name == Self.unnamed {
            let records = try await environment.store.records(in: .accounts).records
            accounts.formUnion(
                records.compactMap { AccountID(id: $0.key.name) }.filter { $0.realm.hasBytes(of: sessions.realm) })
        }
        var kept: [AccountID] = []
        for account in accounts where try await isKept(account) { kept.append(account) }
        return kept
    }

    /// Stores a new session under a name. If the name had a session of another account, ends and revokes that session.
    /// - Throws: ``/IdentityCore/TokenStoreError`` or `CancellationError`. The new session is then not kept.
    func begin(_ credential: Credential, for name: String) async throws -> AccountID {
        let previous: AccountID?
        let account: AccountID
        do {
            previous = try await replaceableAccount(name)
            account = try await place(of: credential, name)
        } catch {
            await revoke(credential)
            throw error
        }
        try await sessions.begin(credential, for: account)
        guard let previous, previous != account else { return account }
        // Use a separate task, so that a cancellation does not leave both the former and the new session in the store.
        try await Task {
            do {
                if let replaced = try await erase(previous) { await revoke(replaced) }
            } catch {
                // With both sessions stored, the app could act as the former user.
                if let begun = try? await sessions.end(account) { await revoke(begun) }
                throw error
            }
        }.value
        return account
    }

    /// Returns the account whose session a new one replaces; `nil` if an import fails, or if the account can never be read, for
    /// example because its record is damaged.
    /// - Throws: `CancellationError`, or an error of the store that may pass. If the method returned `nil` in this case, the
    ///   former session would never be ended.
    private func replaceableAccount(_ name: String) async throws -> AccountID? {
        do {
            return try await account(name)
        } catch let error as TokenStoreError where !error.isAboutContent && error.failureClass != .definitive {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            return nil
        }
    }

    /// Ends the account's session, even if it is damaged. Does nothing if the account has a session of another client or
    /// server, which may have replaced this client's session since the account was found.
    private func erase(_ account: AccountID) async throws -> Credential? {
        if try await isForeign(account) { return nil }
        return try await sessions.end(account)
    }

    /// Whether the account has a session of another client or server, which must stay.
    private func isForeign(_ account: AccountID) async throws -> Bool {
        do {
            guard case .absent(.belongsElsewhere) = try await sessions.lookUp(account) else { return false }
            return true
        } catch let error as TokenStoreError where error.isAboutContent {
            // No other client can use a damaged session either.
            return false
        }
    }

    private func place(of credential: Credential, _ name: String) async throws -> AccountID {
        let own = AccountID(account: name, realm: ownRealm)
        guard name == Self.unnamed, let subject = credential.subject else { return own }
        let shared = shared(subject)
        return try await isForeign(shared) ? own : shared
    }

    /// An account with the credential of its session, which has ended in the store.
    typealias Ended = (account: AccountID, credential: Credential)

    /// Ends the session with this name. For the session without a name, ends all sessions that the provider has for
    /// this client and server.
    /// - Parameter ended: receives the ended sessions, for revocation, even if an error is thrown. A session that is ended
    ///   while the store's encryption key is missing is not added, because its tokens cannot be read.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `UnreadableChoiceError` if the store's key is missing and
    ///   several accounts have a session.
    func end(_ name: String, into ended: inout [Ended]) async throws {
        do {
            try await endAll(name, into: &ended)
        } catch {
            // Without the store's key a session can be ended, but not read.
            let own = AccountID(account: name, realm: ownRealm)
            let sealed = try await environment.store.onlySealedAccount(because: error) {
                $0 == own || $0.realm.hasBytes(of: sessions.realm) && (name == Self.unnamed || $0 == shared(name))
            }
            if let sealed { try await sessions.end(sealed) }
        }
    }

    private func endAll(_ name: String, into ended: inout [Ended]) async throws {
        repeat {
            // End the current account's session last, so that no call in the meantime finds another account as the current one.
            let current = try await account(name)
            for account in try await keptAccounts(name).filter({ $0 != current }) + [current] {
                if let credential = try await erase(account) { ended.append((account, credential)) }
            }
        } while try await !keptAccounts(name).isEmpty
    }

    /// Revokes the tokens of a session that is not kept, within five seconds. A failure is ignored. A session without a refresh
    /// token is left to expire.
    private func revoke(_ credential: Credential) async {
        guard credential.refreshToken != nil else { return }
        // Use a task of its own, so that the tokens are revoked even if the caller is cancelled.
        let revocation = Task { [tokens, time = environment.time] in
            try await Deadline.run(.seconds(5), on: time, orThrow: CancellationError()) {
                try await tokens?.revoke(credential)
            }
        }
        _ = try? await revocation.value
    }
}
