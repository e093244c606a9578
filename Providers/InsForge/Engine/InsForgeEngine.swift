import Foundation
import IdentityKit
import OAuthKit

/// One InsForge project with its sessions: what ``InsForgeProvider`` and ``InsForgeClient`` both stand on, so that a
/// session of one is a session of the other.
final class InsForgeEngine: Sendable {
    let api: InsForgeAPI
    /// The sessions in the shared store.
    let sessions: ProviderSessions
    /// The realm of every account.
    let realm: String
    /// The server's address, under which its sessions are kept.
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
        let backend = SessionBackend(
            origin: SessionOrigin(type: InsForgePlugin.type, backend: api.baseURL.description),
            // Its refresh tokens are not used up (contract 1.6).
            replay: .always
        ) { credential in
            try await Self.refresh(credential, api: api, tokens: tokens, time: time)
        }
        sessions = ProviderSessions(backend, in: ProviderContext(name: realm, environment: environment))
    }

    /// Starts the session a server answered with.
    /// - Throws: ``InsForgeAuthError``, ``TokenStoreError``. Then there is no session.
    @discardableResult
    func begin(_ answer: SessionAnswer) async throws -> AccountID {
        try await tokens.verify(answer.accessToken, of: answer.user.id)
        let now = environment.time.now
        let account = AccountID(account: answer.user.id, realm: realm)
        let credential = Credential(
            accessToken: answer.accessToken, refreshToken: answer.refreshToken, issuedAt: now,
            expiresAt: Self.expiry(of: answer.accessToken, receivedAt: now), signedInAt: now, backend: backend,
            profile: AccountProfile(answer.user), details: Self.details(of: answer.user))
        try await sessions.begin(credential, for: account)
        return account
    }

    /// Remembers what is known of the user now. A session that ended meanwhile stays ended.
    func remember(_ user: User) async throws {
        try await sessions.remember(
            Self.details(of: user), profile: AccountProfile(user), for: AccountID(account: user.id, realm: realm))
    }

    /// Tells the server that a session was ended here, which forgets nothing but may one day. One that cannot be told is
    /// reported, and is no error.
    func tellServerOfEnd(of account: AccountID) async {
        await environment.tellServer(ofEndOf: account) { try await api.logOut() }
    }

    // MARK: Refresh

    private static func refresh(
        _ credential: Credential, api: InsForgeAPI, tokens: AccessTokenVerifier, time: TimeSource
    ) async throws -> RefreshResult {
        guard let refreshToken = credential.refreshToken else {
            return .refused(reason: "There is no refresh token.")
        }
        let answer: SessionAnswer
        do {
            switch try await api.refresh(refreshToken) {
            case .refreshed(let refreshed): answer = refreshed
            case .refused(.userNotFound, .over): return .refused(reason: InsForgeAuthError.userNotFound.message)
            case .refused(_, .over): return .refused(reason: "The server refused its refresh token.")
            case .refused(let error, .perhapsOver): return .ambiguous(error, kind: error.kindOfRefusal)
            case .refused(let error, .misconfigured): return .misconfigured(error)
            case .refused(let error, .unknown): throw error
            }
        } catch InsForgeAuthError.networkError(let error) where error.wasNeverSent {
            return .unspent(InsForgeAuthError.networkError(error))
        }
        guard (credential.details[userID]?.stringValue ?? answer.user.id).hasBytes(of: answer.user.id) else {
            return .refused(reason: "The server answered for somebody else.")
        }
        try await tokens.verify(answer.accessToken, of: answer.user.id)
        let now = time.now
        var refreshed = credential
        refreshed.accessToken = answer.accessToken
        refreshed.refreshToken = answer.refreshToken ?? refreshToken
        refreshed.issuedAt = now
        refreshed.expiresAt = expiry(of: answer.accessToken, receivedAt: now)
        refreshed.profile = AccountProfile(answer.user)
        refreshed.details.merge(details(of: answer.user)) { $1 }
        return .refreshed(refreshed)
    }

    /// When a token expires on this machine's clock: its own lifetime from now, whatever time the server thinks it is.
    private static func expiry(of token: Secret, receivedAt now: Date) -> Date? {
        (try? JSONWebToken(token))?.lifetime.map { now + $0.timeInterval }
    }

    // MARK: What a credential remembers

    /// Whose it is, so that a refresh cannot turn it into another person's.
    private static let userID = "userID"
    /// The user as the server described them last.
    private static let user = "user"

    private static func details(of user: User) -> [String: JSONValue] {
        var details: [String: JSONValue] = [userID: .string(user.id)]
        // A user that was decoded always encodes.
        if let content = try? JSONEncoder().encode(user) { details[Self.user] = try? JSONValue(parsing: content) }
        return details
    }

    /// The user a credential belongs to. Of a session that was taken over from elsewhere, what its access token says of
    /// them, until the server describes them.
    static func user(of credential: Credential) -> User? {
        guard let value = credential.details[user] else { return User(claimsOf: credential.accessToken) }
        guard let content = try? JSONEncoder().encode(value) else { return nil }
        return try? JSONDecoder().decode(User.self, from: content)
    }
}
