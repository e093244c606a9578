import Foundation
import IdentityKit

/// An OAuth server as an identity provider: sign-in in the browser or on another device, sessions that are refreshed once
/// for everybody who asks, more scopes later, and sign-out.
///
/// What a server does differently is in its ``OAuthServer``. A provider that adds something of its own holds one of these.
public final class OAuthProvider: SessionBackedProvider {
    /// The server.
    public let server: OAuthServer
    /// The sessions in the shared store.
    public let sessions: ProviderSessions

    let environment: IdentityEnvironment
    private let discovered: DiscoveredRelyingParty
    private let pendingFlows: PendingAuthorizations

    /// Opens a provider. Nothing is requested.
    public init(_ server: OAuthServer, context: ProviderContext) {
        let environment = context.environment
        let discovered = server.relyingParty(in: environment)
        self.server = server
        self.environment = environment
        self.discovered = discovered
        pendingFlows = PendingAuthorizations(store: environment.store, time: environment.time)
        let backend = SessionBackend(
            origin: SessionOrigin(type: server.type, backend: server.backend, clientID: server.client.id),
            replay: server.replay,
            discard: { credential in
                guard let refreshToken = credential.refreshToken else { return }
                try? await discovered.relyingParty.revoke(refreshToken, hint: .refreshToken)
            },
            areIndependent: { old, new in new.survivesRevocation(of: old) },
            verify: { credential in try await .verifying(credential, at: { try await discovered.relyingParty }) }
        ) { credential in
            try await .refreshing(credential, at: { try await discovered.relyingParty })
        }
        sessions = ProviderSessions(backend, in: context)
    }

    /// The client at the server, whose metadata is asked for once.
    /// - Throws: ``OAuthError``, or what the transport throws.
    package var relyingParty: RelyingParty {
        get async throws { try await discovered.relyingParty }
    }

    // MARK: SessionBackedProvider

    /// Signs in by the server's method; `nil` when there is no browser, or nothing to show a device code with.
    /// - Throws: ``OAuthError``, or `CancellationError` when the user gives up.
    public func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        try await signIn(scopes: wanted(scopes), again: nil)
    }

    /// Makes sure that the session carries `scopes`; asks the server for those it lacks (incremental consent).
    /// - Returns: `nil`; the protocol knows no challenge.
    /// - Throws: ``/IdentityKit/SessionError/insufficientScope(_:missing:)`` when they are not granted or no sign-in can
    ///   be shown; ``OAuthError`` when another person signed in, whose tokens are dropped.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        do {
            _ = try await sessions.credential(for: accountID, scopes: scopes)
        } catch let error as SessionError {
            guard case .insufficientScope = error else { throw error }
            let current = try await sessions.credential(for: accountID, scopes: [])
            let again = StepUp(account: accountID, idToken: current.idToken)
            guard try await signIn(scopes: wanted(current.scopes.union(scopes)), again: again) != nil else {
                throw error
            }
            _ = try await sessions.credential(for: accountID, scopes: scopes)
        }
        return nil
    }

    /// Ends the session here, revokes its tokens, and ends the server's session in the browser where the server has a
    /// ``OAuthServer/postLogoutRedirectURI``.
    /// - Throws: ``/IdentityKit/TokenStoreError``. A server that could not be told is no error: the environment's
    ///   ``/IdentityKit/RefreshMonitor`` reports it.
    public func signOut(_ accountID: AccountID) async throws {
        guard let credential = try await sessions.end(accountID) else { return }
        // Best effort from here on: the session is over, whether or not the server can be told.
        do {
            let party = try await relyingParty
            do {
                try await party.revoke(credential)
            } catch {
                environment.refreshes.report(.notRevoked(accountID, because: error))
            }
            try? await endServerSession(of: credential, at: party)
        } catch {
            environment.refreshes.report(.notRevoked(accountID, because: error))
        }
    }

    private func wanted(_ scopes: Set<String>) -> [String] {
        server.scopes + scopes.subtracting(server.scopes).sorted()
    }

    private func endServerSession(of credential: Credential, at party: RelyingParty) async throws {
        guard let returnURI = server.postLogoutRedirectURI, let browser = environment.webAuthenticator,
            let endpoint = party.metadata.endSessionEndpoint
        else { return }
        let request = try EndSessionRequest(
            client: party.client, endSessionEndpoint: endpoint, idTokenHint: credential.idToken,
            postLogoutRedirectURI: await browser.redirectURI(for: returnURI), random: environment.random)
        try request.checkReturn(await browser.authenticate(WebAuthenticationRequest(request)))
    }

    // MARK: Signing in

    /// A session that gets more scopes.
    struct StepUp: Sendable {
        /// Who must sign in.
        let account: AccountID
        /// Tells the server who that is.
        let idToken: Secret?
    }

    private func signIn(scopes: [String], again stepUp: StepUp?) async throws -> AccountID? {
        switch server.method {
        case .browser:
            guard let browser = environment.webAuthenticator, let redirectURI = server.redirectURI else { return nil }
            let party = try await relyingParty
            var request = try party.authorizationRequest(
                redirectURI: await browser.redirectURI(for: redirectURI), scopes: scopes)
            request.subject = stepUp?.account.account
            request.idTokenHint = stepUp?.idToken
            request.prompt = server.prompt(scopes)
            request.extraParameters = server.authorizationParameters
            // Before the flow is remembered: one that the server does not take waits for nothing.
            let url = try await party.url(for: request, pushed: server.pushesAuthorizationRequests)
            try await pendingFlows.add(request.pending)
            let callback = try await browser.authenticate(WebAuthenticationRequest(url: url, for: request.pending))
            // Whatever the response is, the flow is over: a callback can be used once.
            guard let pending = try await pendingFlows.take(state: request.state) else {
                throw OAuthError.invalidCallback(.unknownFlow)
            }
            return try await begin(await party.redeem(callback, for: pending), at: party, again: stepUp?.account)
        case .device:
            guard let presenter = environment.deviceCodePresenter else { return nil }
            let party = try await relyingParty
            let authorization = try await party.authorizeDevice(
                scopes: scopes, extraParameters: server.authorizationParameters)
            try await presenter.show(DeviceCode(authorization))
            let tokens = try await party.tokens(for: authorization, subject: stepUp?.account.account)
            return try await begin(tokens, at: party, again: stepUp?.account)
        }
    }

    /// Finishes a sign-in whose app was restarted while the person was in the browser.
    /// - Parameter callback: the URL the app was opened with.
    /// - Throws: ``OAuthError`` with `callback_unknown_flow` when no sign-in waits for it.
    @discardableResult
    public func finishSignIn(_ callback: URL) async throws -> AccountID {
        let state = try AuthorizationResponse(callbackURL: callback).state
        let party = try await relyingParty
        guard let state, let pending = try await pendingFlows.take(state: state, where: party.started) else {
            throw OAuthError.invalidCallback(.unknownFlow)
        }
        let stepUp = pending.subject.map { AccountID(account: $0, realm: sessions.realm) }
        return try await begin(await party.redeem(callback, for: pending), at: party, again: stepUp)
    }

    /// Begins a session of whoever the server says signed in.
    /// - Parameter expected: whose session these tokens step up; `nil` for a new one.
    private func begin(_ tokens: TokenSet, at party: RelyingParty, again expected: AccountID?) async throws -> AccountID
    {
        let person = try await server.account.person(
            of: tokens, at: party, expecting: expected?.account, in: environment)
        let account = AccountID(account: person.subject, realm: sessions.realm)
        var credential = tokens.credential(backend: server.backend, clientID: server.client.id)
        credential.details[SessionSubject.detail] = .string(person.subject)
        credential.profile = credential.profile.completed(with: person.profile)
        // Read now and not before the person was asked: the session may have been refreshed meanwhile.
        if expected != nil, let current = try await sessions.storedCredential(of: account) {
            credential = credential.steppingUp(current)
        }
        try await sessions.begin(credential, for: account)
        return account
    }
}

extension DeviceCode {
    fileprivate init(_ authorization: DeviceAuthorization) {
        self.init(
            userCode: authorization.userCode, verificationURI: authorization.verificationURI,
            verificationURIComplete: authorization.verificationURIComplete, expiresAt: authorization.expiresAt)
    }
}
