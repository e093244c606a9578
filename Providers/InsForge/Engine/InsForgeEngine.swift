import Foundation
import IdentityKit
import IdentityOAuth

/// The requests and the stored sessions of one InsForge project. Each ``InsForgeProvider`` and ``InsForgeClient`` has
/// an engine.
final class InsForgeEngine: Sendable {
    let api: InsForgeAPI
    let sessions: ProviderSessions
    let realm: String
    /// The server's base URL. Stored sessions contain it, so that their tokens are sent to no other server.
    let backend: String
    let environment: IdentityEnvironment

    private let tokens: AccessTokenVerifier

    init(api: InsForgeAPI, realm: String, environment: IdentityEnvironment) {
        self.api = api
        self.realm = realm
        self.environment = environment
        backend = api.baseURL.description
        let time = environment.time
        let tokens = AccessTokenVerifier(baseURL: api.baseURL, transport: api.transport, time: time)
        self.tokens = tokens
        var backend = SessionBackend(
            type: InsForgePlugin.type, backend: api.baseURL.description,
            // The server accepts a refresh token more than once.
            replay: .always
        ) { credential, context in
            try await Self.refresh(credential, in: context, api: api, tokens: tokens, time: time)
        }
        backend.verify = { credential, _ in try await tokens.verification(of: credential) }
        sessions = ProviderSessions(backend, in: ProviderContext(name: realm, environment: environment))
    }

    /// Verifies the access token of a session that the server opened, and stores the session. After an error, this session
    /// is not stored.
    /// - Parameter details: further values to store with the session.
    /// - Throws: ``InsForgeAuthError``, ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    @discardableResult
    func begin(_ session: SessionResponse, details: [String: JSONValue] = [:]) async throws -> AccountID {
        try await tokens.verify(session.accessToken, of: session.user.id)
        let now = environment.time.now
        let account = try await account(of: session.user.id)
        let credential = Credential(
            accessToken: session.accessToken, refreshToken: session.refreshToken, issuedAt: now,
            expiresAt: Self.expiry(of: session.accessToken, receivedAt: now), signedInAt: now, backend: backend,
            profile: AccountProfile(session.user),
            details: Self.details(of: session.user).merging(details) { $1 })
        try await sessions.begin(credential, for: account)
        return account
    }

    /// Returns the account under which to store the session of a user. If the store holds a session of the same user from
    /// another server, the account is named `USER@ADDRESS`, with the address of this engine's server.
    /// - Throws: ``/IdentityCore/TokenStoreError``, but not for a damaged record, which a new session replaces.
    func account(of userID: String) async throws -> AccountID {
        let usual = AccountID(account: userID, realm: realm)
        let own = AccountID(account: "\(userID)@\(backend)", realm: realm)
        let stored: Credential? = try await passingDamage { try await sessions.storedCredential(of: own) }
        if stored != nil { return own }
        let lookup: AccountLookup? = try await passingDamage { try await sessions.lookUp(usual) }
        guard case .absent(.belongsElsewhere)? = lookup else { return usual }
        return own
    }

    /// Returns the result of `read`; `nil` if the record is damaged.
    private func passingDamage<Value>(_ read: () async throws -> Value?) async throws -> Value? {
        do {
            return try await read()
        } catch let error as TokenStoreError where error.isAboutContent {
            return nil
        }
    }

    /// Stores updated data of the user with the session. Stores nothing if the session has ended or is being refreshed.
    func remember(_ user: User, of account: AccountID) async throws {
        try await sessions.remember(Self.details(of: user), profile: AccountProfile(user), for: account)
    }

    /// Sends the sign-out to the server, within five seconds. Current servers ignore the request. A failure is reported to the
    /// observers, not thrown.
    func sendEnd(of account: AccountID) async {
        await environment.sendEnd(of: account) { [api] in try await api.logOut() }
    }

    private static func refresh(
        _ credential: Credential, in context: RefreshContext, api: InsForgeAPI, tokens: AccessTokenVerifier,
        time: TimeSource
    ) async throws -> RefreshResult {
        guard let refreshToken = credential.refreshToken else {
            return .refused(reason: "There is no refresh token.")
        }
        let sentAt = time.now
        let session: RefreshedSession
        let faults: [ResponseFault]
        switch try await api.sending(by: context.spending).refresh(refreshToken) {
        case .refreshed(let refreshed, let odd): (session, faults) = (refreshed, odd)
        case .refused(let error, let verdict): return try result(of: error, verdict)
        }
        let known = user(of: credential)
        let expected = credential.details[userID]?.stringValue ?? known?.id
        let another = RefreshResult.refused(reason: "The server returned another user's session.")
        if let id = session.user?.id, !id.hasBytes(of: expected ?? id) { return another }
        let token = try tokens.read(session.accessToken)
        guard let subject = token.subject else {
            throw InsForgeAuthError.untrustedToken("It does not say whose it is.")
        }
        guard subject.hasBytes(of: session.user?.id ?? expected ?? subject) else { return another }
        let received = session.user ?? ReceivedUser(id: subject)
        let now = time.now
        var refreshed = credential
        refreshed.accessToken = session.accessToken
        refreshed.refreshToken = session.refreshToken ?? refreshToken
        refreshed.issuedAt = now
        refreshed.expiresAt = expiry(of: session.accessToken, receivedAt: now)
        let described = User(received, keeping: known)
        refreshed.profile = AccountProfile(described)
        refreshed.details.merge(details(of: described)) { $1 }
        refreshed.pendingVerification = try await unverified(session.accessToken, token, tokens).map {
            PendingVerification(idToken: $0, sentAt: sentAt, receivedAt: now, serverDate: nil)
        }
        return .refreshed(refreshed, faults: faults.map(\.description))
    }

    /// Returns the result of a refresh that the server refused.
    /// - Throws: `error` if the response does not show whether the refresh token is still valid or used up.
    private static func result(of error: InsForgeAuthError, _ verdict: RefreshVerdict) throws -> RefreshResult {
        switch (error, verdict) {
        case (.userNotFound, .over): return .refused(reason: InsForgeAuthError.userNotFound.message)
        case (_, .over): return .refused(reason: "The server refused its refresh token.")
        case (_, .perhapsOver): return .ambiguous(error, kind: error.kindOfRefusal)
        case (_, .misconfigured): return .misconfigured(error)
        case (_, .busy(let pause)): return .unspent(error, retryAfter: pause)
        case (_, .overloaded(let pause)): return .unspent(error, retryAfter: pause, isForAll: true)
        case (_, .inFront): return .unspent(error)
        case (_, .unknown), (_, .unreadable): throw error
        }
    }

    /// Returns the token if a request is needed to verify it; `nil` if it is accepted without a request.
    /// - Throws: ``InsForgeAuthError/untrustedToken(_:)`` for an algorithm that is not accepted.
    private static func unverified(
        _ token: Secret, _ parsed: JSONWebToken, _ tokens: AccessTokenVerifier
    ) async throws -> Secret? {
        do {
            return try await tokens.isVerifiedAtOnce(parsed) ? nil : token
        } catch let error as OAuthError {
            throw InsForgeAuthError.untrustedToken(error.message)
        }
    }

    /// Returns the expiry of a token by this machine's clock: `now` plus the time from `iat` to `exp`, whatever the
    /// server's clock shows; `nil` if one of the two claims is missing or invalid.
    private static func expiry(of token: Secret, receivedAt now: Date) -> Date? {
        (try? JSONWebToken(token))?.lifetime.map { now + $0.timeInterval }
    }

    /// The key of the user's identifier in `Credential.details`. A refresh compares the identifier to detect another user's
    /// session.
    private static let userID = "userID"
    /// The key in `Credential.details` of the user as the server last described them.
    private static let user = "user"

    static func details(of user: User) -> [String: JSONValue] {
        var details: [String: JSONValue] = [userID: .string(user.id)]
        if let content = try? JSONEncoder().encode(user.kept) { details[Self.user] = try? JSONValue(parsing: content) }
        return details
    }

    /// Returns the stored description of the user. Without a description, which may have been too large or never received,
    /// returns the identifier and address in the access token; `nil` if the token has no subject.
    static func user(of credential: Credential) -> User? {
        guard let value = credential.details[user], let content = try? JSONEncoder().encode(value),
            let user = try? JSONDecoder().decode(User.self, from: content)
        else { return User(claimsOf: credential.accessToken) }
        return user
    }
}
