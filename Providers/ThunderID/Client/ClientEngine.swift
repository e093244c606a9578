import Foundation
import IdentityKit
import OAuthKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Everything a ``ThunderIDClient`` does with one configuration.
final class ClientEngine: Sendable {
    let config: ThunderIDConfig
    let environment: IdentityEnvironment
    let texts: FlowTextsAPI
    let tokens: TokenService?
    let sessions: ProviderSessions
    let users: UserDirectoryAPI
    let redirects: PendingRedirects
    let pendingFlows: PendingFlows
    let server: ServerAPI
    /// What is known of the signed-in users beyond their tokens.
    let profiles = KnownProfiles()
    private let backlog = SerialQueue()
    /// The sessions that were cleared by a call that could not wait for the store.
    private let cleared = Locked<Set<AccountID>>([])
    private let realm: String
    private let former: FormerSessions
    private let presentation: TokenPresentation

    /// - Throws: ``IAMError`` with `invalidConfiguration`.
    init(config: ThunderIDConfig, environment: IdentityEnvironment) throws {
        let baseURL = try config.checkedBaseURL()
        self.config = config
        self.environment = environment
        let server = ServerAPI(baseURL: baseURL, transport: environment.transport)
        self.server = server
        texts = FlowTextsAPI(server: server)
        users = UserDirectoryAPI(server: server, environment: environment)
        let tokens = config.clientId.flatMap { $0.isEmpty ? nil : $0 }.map { clientID in
            TokenService(
                server: server,
                profile: TokenService.Profile(
                    clientID: clientID, authentication: config.clientAuthentication,
                    allowsLoopbackHTTP: config.allowsLoopbackHTTP,
                    pushesAuthorizationRequests: config.pushesAuthorizationRequests, bindsTokens: config.bindsTokens),
                environment: environment)
        }
        self.tokens = tokens
        presentation = TokenPresentation(baseURL: baseURL, tokens: tokens)
        // Tokens of one client at one server are worth nothing to another, and none takes another's place.
        let clientName = config.clientId ?? config.applicationId ?? ""
        realm = "thunderid:" + clientName + "@" + baseURL.description
        let origin = SessionOrigin.thunderID(
            baseURL, clientID: config.clientId, applicationID: config.applicationId)
        former = FormerSessions(clientName: clientName, origin: origin, environment: environment)
        sessions = ProviderSessions(realm: realm, origin: origin, tokens: tokens, environment: environment)
        redirects = PendingRedirects(store: environment.store, backlog: backlog, time: environment.time)
        pendingFlows = PendingFlows(time: environment.time)
    }

    /// Carries native flows on.
    var driver: FlowDriver {
        FlowDriver(
            api: FlowAPI(server: server), texts: texts, tokens: tokens, time: environment.time, language: language)
    }

    /// Where the session with this name is kept.
    func account(_ sessionID: String?) -> AccountID {
        let name = sessionID ?? ""
        return AccountID(account: name.isEmpty ? "default" : name, realm: realm)
    }

    /// The OAuth side.
    /// - Throws: ``IAMError`` with `invalidConfiguration` without a client.
    func requireTokens() throws -> TokenService {
        guard let tokens else { throw IAMError(.invalidConfiguration, "Set clientId.") }
        return tokens
    }

    // MARK: Sessions

    /// Stores a session that has just begun, in place of what was there.
    func begin(_ credential: Credential, for account: AccountID) async throws {
        guard credential.subject?.isEmpty == false else {
            throw IAMError(.serverError, "The server did not say who signed in. Try again later.")
        }
        let complete = await users.completing(credential)
        try await settle(account)
        profiles.forget(account)
        try await sessions.begin(complete, for: account)
    }

    /// The session's credential as it is stored; `nil` when nobody is signed in or the session is over.
    func liveCredential(of account: AccountID) async throws -> Credential? {
        try await settle(account)
        guard let credential = try await sessions.session(of: account) else { return nil }
        let now = environment.time.now
        if credential.isValid(at: now) { return credential }
        guard credential.refreshToken != nil, now < credential.sessionEndsAt ?? .distantFuture else { return nil }
        return credential
    }

    /// A credential whose access token is valid.
    func credential(of account: AccountID, replacing rejected: Credential? = nil) async throws -> Credential {
        try await settle(account)
        return try await sessions.credential(
            for: account, scopes: [], replacing: rejected?.accessToken.reveal())
    }

    /// Ends the session here, now or as soon as the store allows.
    func clear(_ account: AccountID) {
        profiles.forget(account)
        _ = cleared.withLock { $0.insert(account) }
        backlog.add { try? await self.erase(account) }
    }

    /// Waits for what calls that could not wait have left to be done.
    func finishBacklog() async { await backlog.finish() }

    /// Waits until what was decided about the session is done.
    /// - Throws: ``TokenStoreError`` when a cleared session cannot be erased: it must not come back.
    func settle(_ account: AccountID) async throws {
        await backlog.finish()
        try await former.move(to: account)
        guard cleared.withLock({ $0.contains(account) }) else { return }
        try await erase(account)
    }

    private func erase(_ account: AccountID) async throws {
        // What an earlier version stored must not come back either.
        try await former.move(to: account)
        try await sessions.end(account)
        _ = cleared.withLock { $0.remove(account) }
    }

    // MARK: Calls with the session's token

    /// Calls with the session's token, and once more with a newer one when the server does not accept it.
    func authorized<Answer>(
        as account: AccountID, _ call: (ServerAPI.Authorization) async throws -> Answer
    ) async throws -> Answer {
        let credential = try await credential(of: account)
        do {
            return try await call(try await authorization(credential))
        } catch let error as IAMError where error.code == .sessionExpired {
            let fresh = try await self.credential(of: account, replacing: credential)
            return try await call(try await authorization(fresh))
        }
    }

    /// How a token is presented.
    func authorization(_ credential: Credential) async throws -> ServerAPI.Authorization {
        try await presentation.authorization(credential)
    }

    /// `request` with the session's token.
    func authorized(_ request: URLRequest, as account: AccountID) async throws -> URLRequest {
        try Self.checkMayCarryToken(request)
        return try await presentation.authorizing(request, with: credential(of: account))
    }

    /// `request`, which was refused, once more; `nil` when there is nothing else to try.
    func reauthorized(
        _ request: URLRequest, after response: HTTPURLResponse?, as account: AccountID
    ) async throws -> URLRequest? {
        try Self.checkMayCarryToken(request)
        try await settle(account)
        return try await presentation.reauthorizing(request, after: response) { rejected in
            try await sessions.credential(for: account, scopes: [], replacing: rejected)
        }
    }

    /// A token leaves this machine only under TLS.
    private static func checkMayCarryToken(_ request: URLRequest) throws {
        do {
            try request.checkMayCarryToken()
        } catch {
            throw IAMError(.invalidInput, error.identityMessage)
        }
    }
}
