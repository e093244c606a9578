import Foundation
import IdentityKit
import IdentityOAuth

/// The implementation of a ``ThunderIDClient`` for one configuration.
final class ClientEngine: Sendable {
    let config: ThunderIDConfig
    let environment: IdentityEnvironment
    let texts: FlowTextsAPI
    let tokens: TokenService?
    let sessions: ProviderSessions
    let users: UserDirectoryAPI
    let redirects: PendingRedirects
    let callbacks: HandledCallbacks<User>
    let pendingFlows: PendingFlows
    let server: ServerAPI
    let names: ClientSessions
    /// The users whose data was fetched from the server since their sign-in.
    let profiles = KnownProfiles()
    private let pendingWork = SerialQueue()
    /// The names of sessions that `clear(_:)` has ended, but that are not erased in the store yet.
    private let cleared = Locked<Set<String>>([])
    let presentation: TokenPresentation
    let chosenLanguage: ChosenLanguage

    /// The storage with a session of ThunderID's own SDK; `nil` if none is to be imported.
    let formerStorage: (any StorageAdapter)?

    /// - Parameter formerStorage: the storage with a session of ThunderID's own SDK to import; `nil` for none.
    /// - Throws: ``IAMError`` with `invalidConfiguration`.
    init(
        config: ThunderIDConfig, environment original: IdentityEnvironment, language: ChosenLanguage = ChosenLanguage(),
        formerStorage: (any StorageAdapter)? = nil
    ) throws {
        chosenLanguage = language
        let baseURL = try config.checkedBaseURL()
        let environment: IdentityEnvironment
        do {
            environment = try original.trusting(config.trustedCertificates).guarded(besides: [baseURL.url])
        } catch {
            throw IAMError(.invalidConfiguration, error.message)
        }
        self.config = config
        self.environment = environment
        self.formerStorage = formerStorage
        let server = ServerAPI(baseURL: baseURL, transport: environment.transport)
        self.server = server
        texts = FlowTextsAPI(server: server)
        users = UserDirectoryAPI(server: server, environment: environment)
        let tokens = Self.tokenService(for: config, server: server, environment: environment)
        self.tokens = tokens
        presentation = TokenPresentation(baseURL: baseURL, tokens: tokens)
        sessions = ProviderSessions(
            realm: config.providerName,
            origin: .thunderID(baseURL, clientID: config.clientId, applicationID: config.applicationId),
            tokens: tokens, environment: environment)
        names = ClientSessions(
            sessions, clientName: config.clientId ?? config.applicationId ?? "", baseURL: baseURL, tokens: tokens,
            environment,
            former: LegacySDKSession.find(in: formerStorage, for: config, baseURL: baseURL, time: environment.time))
        redirects = PendingRedirects(store: environment.store, prefix: "", queue: pendingWork, time: environment.time)
        callbacks = HandledCallbacks(time: environment.time)
        pendingFlows = PendingFlows(time: environment.time)
    }

    /// Returns the token service of the configured OAuth client; `nil` if ``ThunderIDConfig/clientId`` is missing or
    /// empty.
    private static func tokenService(
        for config: ThunderIDConfig, server: ServerAPI, environment: IdentityEnvironment
    ) -> TokenService? {
        guard let clientID = config.clientId, !clientID.isEmpty else { return nil }
        return TokenService(
            server: server,
            client: OAuthClient(
                id: clientID, authentication: config.clientAuthentication,
                transportSecurity: TransportSecurity(allowsLoopbackHTTP: config.allowsLoopbackHTTP)),
            pushesAuthorizationRequests: config.pushesAuthorizationRequests, bindsTokens: config.bindsTokens,
            clockTolerance: config.tokenValidation.tolerance,
            environment: environment)
    }

    var driver: FlowDriver {
        FlowDriver(
            api: FlowAPI(server: server), texts: texts, tokens: tokens, time: environment.time, language: language)
    }

    /// Returns the account for a session's name. If `clear(_:)` has ended the session, first erases it in the store.
    /// - Throws: as ``ClientSessions/account(_:)``. If the ended session cannot be erased, throws as
    ///   ``ClientSessions/end(_:into:)``, because the session would otherwise reappear.
    func account(_ sessionID: String?) async throws -> AccountID {
        try await names.account(try await settled(sessionID))
    }

    /// Returns ``tokens``, which every call of an OAuth endpoint needs.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if ``ThunderIDConfig/clientId`` is missing or empty.
    func requireTokens() throws -> TokenService {
        guard let tokens else { throw IAMError(.invalidConfiguration, "Set clientId.") }
        return tokens
    }

    /// Completes the profile of a new session from the user's record, and stores the session in place of the one with
    /// the same name.
    /// - Parameter start: the result of ``ClientSessions/now(_:)`` from before the session's tokens were requested.
    /// - Throws: ``IAMError`` with `serverError` if the tokens do not contain a subject;
    ///   `OAuthError` if a sign-out was recorded since `start`: the new session is then ended, and its tokens are revoked;
    ///   ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    @discardableResult
    func begin(
        _ credential: Credential, for sessionID: String?, since start: CurrentSession<AccountID>.Moment
    ) async throws -> AccountID {
        guard let subject = credential.subject, !subject.isEmpty else {
            throw IAMError(.serverError, "The server did not say who signed in. Try again later.")
        }
        let complete = await users.completing(credential)
        let name = try await settled(sessionID)
        guard !names.hasSignedOut(name, since: start) else {
            await sessions.drop(complete, of: AccountID(account: subject, realm: sessions.realm))
            throw OAuthError.invalidCallback(.signedOut)
        }
        let account = try await names.begin(complete, for: name)
        guard !names.hasSignedOut(name, since: start) else {
            try await sessions.end(account)
            await sessions.drop(complete, of: account)
            throw OAuthError.invalidCallback(.signedOut)
        }
        profiles.forget(account)
        try? await names.show(session(of: account), as: sessionID)
        return account
    }

    /// Returns the number of the account's stored session; `nil` without a session.
    func session(of account: AccountID) async throws -> SessionNumber? {
        try await sessions.storedCredential(of: account)?.session(of: account)
    }

    /// Ends the sessions with this name in the store. Usually no request is sent, and the caller revokes the returned sessions.
    /// If a session cannot be ended, the method revokes the sessions that it has ended before, and then throws.
    /// - Returns: the ended sessions, for revocation.
    func end(_ sessionID: String?) async throws -> [ClientSessions.Ended] {
        let name = try await settled(sessionID)
        var ended: [ClientSessions.Ended] = []
        defer { for (account, _) in ended { profiles.forget(account) } }
        do {
            try await names.end(name, into: &ended)
        } catch {
            await revoke(ended)
            throw error
        }
        return ended
    }

    /// Revokes ended sessions at the server, all at the same time. A session that consists of a native flow's assertion is not
    /// revoked; the assertion stays valid until it expires.
    /// - Returns: the error of a revocation that failed; `nil` if there is none.
    @discardableResult
    func revoke(_ ended: [ClientSessions.Ended]) async -> (any Error)? {
        await withTaskGroup(of: (any Error)?.self) { [sessions] group in
            for (account, credential) in ended where !credential.isAssertion {
                group.addTask { await sessions.revoke(credential, of: account) }
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
    }

    /// Returns the stored credential of a session, without a request; `nil` if there is no session, if the session's end
    /// has passed, or if the access token has expired and there is no refresh token.
    func liveCredential(of account: AccountID) async throws -> Credential? {
        guard let credential = try await sessions.storedCredential(of: account) else { return nil }
        let now = environment.time.now
        guard now < credential.sessionEndsAt ?? .distantFuture else { return nil }
        return credential.isValid(at: now) || credential.refreshToken != nil ? credential : nil
    }

    func credential(of account: AccountID, replacing rejectedToken: String? = nil) async throws -> Credential {
        try await sessions.credential(for: account, scopes: [], replacing: rejectedToken)
    }

    /// Ends a session without waiting for the store. A queued task erases the session there, and later calls wait for
    /// that task.
    func clear(_ sessionID: String?) {
        let name = ClientSessions.name(sessionID)
        names.noteSignOut(name)
        _ = cleared.withLock { $0.insert(name) }
        pendingWork.add { try? await self.erase(name) }
    }

    /// Waits for the writes to the store that synchronous calls have queued, and erases all sessions that `clear(_:)`
    /// has ended.
    /// - Throws: as ``ClientSessions/end(_:into:)``.
    func finishPendingWork() async throws {
        await pendingWork.finish()
        for name in cleared.withLock({ $0 }) { try await erase(name) }
    }

    /// Waits for the queued writes, erases the session if `clear(_:)` has ended it, and returns the session's stored
    /// name.
    private func settled(_ sessionID: String?) async throws -> String {
        let name = ClientSessions.name(sessionID)
        await pendingWork.finish()
        if cleared.withLock({ $0.contains(name) }) { try await erase(name) }
        return name
    }

    private func erase(_ name: String) async throws {
        var ended: [ClientSessions.Ended] = []
        try await names.end(name, into: &ended)
        _ = cleared.withLock { $0.remove(name) }
    }

    /// Runs `call` with the session's token. If `call` throws `sessionExpired`, runs it once more with a newer token.
    /// - Parameter shown: the session for which the call is meant; `nil` for the current session.
    /// - Throws: `SessionChangedError` if `shown` is no longer the current session, the errors of reading or refreshing
    ///   the session, and what `call` throws.
    func authorized<Value>(
        as account: AccountID, of shown: SessionNumber? = nil, _ call: (ServerAPI.Authorization) async throws -> Value
    ) async throws -> Value {
        try await retryingRefusal {
            ($0 as? IAMError)?.code == .sessionExpired
        } token: { refused in
            let credential = try await credential(of: account, replacing: refused?.accessToken.reveal())
            if let shown, credential.session(of: account) != shown { throw SessionChangedError(shown) }
            return credential
        } _: { credential in
            try await call(presentation.authorization(credential))
        }
    }

    func authorized(_ request: URLRequest, as account: AccountID) async throws -> URLRequest {
        try Self.checkMayCarryToken(request)
        return try await presentation.authorizing(request, with: credential(of: account))
    }

    /// Authorizes a refused request again, with a new DPoP proof or another token; `nil` if neither is available.
    func reauthorized(
        _ request: URLRequest, after response: HTTPURLResponse?, as account: AccountID
    ) async throws -> URLRequest? {
        try Self.checkMayCarryToken(request)
        return try await presentation.reauthorizing(request, after: response) { rejected in
            try await credential(of: account, replacing: rejected)
        }
    }

    /// Checks that the request uses TLS or stays on this machine, so that nobody else can read the token.
    /// - Throws: ``IAMError`` with `invalidInput`.
    private static func checkMayCarryToken(_ request: URLRequest) throws {
        do {
            try request.checkMayCarryToken()
        } catch {
            throw IAMError(.invalidInput, error.identityMessage)
        }
    }
}
