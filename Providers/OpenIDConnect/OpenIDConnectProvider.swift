import Foundation
import IdentityKit
import OAuthKit

/// Any server that conforms to OpenID Connect as an identity provider: found by its issuer identifier, configured by
/// little else.
public final class OpenIDConnectProvider: SessionBackedProvider {
    let settings: OpenIDConnectSettings
    let environment: IdentityEnvironment
    private let server: DiscoveredRelyingParty
    private let pendingFlows: PendingAuthorizations
    /// The sessions in the shared store.
    public let sessions: ProviderSessions

    /// Opens a provider. Nothing is requested.
    public init(settings: OpenIDConnectSettings, context: ProviderContext) {
        self.settings = settings
        environment = context.environment
        let server = Self.discoveredServer(settings, context.environment)
        self.server = server
        pendingFlows = PendingAuthorizations(store: context.environment.store, time: context.environment.time)
        sessions = ProviderSessions(
            realm: context.name,
            origin: SessionOrigin(
                type: OpenIDConnectPlugin.type, backend: settings.issuer, clientID: settings.clientID),
            store: context.environment.store, time: context.environment.time,
            // Nothing says how this server takes a second use of a refresh token, so the worst is assumed.
            replay: .never, monitor: context.environment.refreshes,
            discard: { credential in
                guard let refreshToken = credential.refreshToken else { return }
                try? await server.relyingParty.revoke(refreshToken, hint: .refreshToken)
            },
            areIndependent: { old, new in new.survivesRevocation(of: old) },
            verify: { credential in try await .verifying(credential, at: { try await server.relyingParty }) }
        ) { credential in
            try await .refreshing(credential, at: { try await server.relyingParty })
        }
    }

    // MARK: SessionBackedProvider

    /// Signs in by the configured method; `nil` when there is no browser, or nothing to show a device code with.
    /// - Throws: ``/OAuthKit/OAuthError``, or `CancellationError` when the user gives up.
    public func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        try await signIn(scopes: settings.scopes + scopes.subtracting(settings.scopes).sorted())
    }

    /// Makes sure that the session carries `scopes`; asks the server for those it lacks (incremental consent).
    /// - Returns: `nil`; the protocol knows no challenge.
    /// - Throws: ``/IdentityKit/SessionError/insufficientScope(_:missing:)`` when they are not granted or no sign-in can
    ///   be shown; ``/OAuthKit/OAuthError``, with `id_token_sub_mismatch` when another person signed in, whose tokens are
    ///   dropped.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        do {
            _ = try await sessions.credential(for: accountID, scopes: scopes)
            return nil
        } catch SessionError.insufficientScope(_, let missing) {
            let current = try await sessions.credential(for: accountID, scopes: [])
            let wanted = settings.scopes + current.scopes.union(scopes).subtracting(settings.scopes).sorted()
            let account = try await signIn(scopes: wanted, again: accountID, idTokenHint: current.idToken)
            guard account == accountID else { throw SessionError.insufficientScope(accountID, missing: missing) }
            _ = try await sessions.credential(for: accountID, scopes: scopes)
            return nil
        }
    }

    /// Ends the session here, revokes its tokens, and ends the server's session in the browser where a
    /// `postLogoutRedirectURI` is configured.
    /// - Throws: ``/IdentityKit/TokenStoreError``. A server that could not be told is no error: the environment's
    ///   ``/IdentityKit/RefreshMonitor`` reports it.
    public func signOut(_ accountID: AccountID) async throws {
        guard let credential = try await sessions.end(accountID) else { return }
        // Best effort from here on: the session is over, whether or not the server can be told.
        do {
            let party = try await server.relyingParty
            do {
                try await Self.revoke(credential, at: party)
            } catch {
                environment.refreshes.report(.notRevoked(accountID, because: error))
            }
            try? await endServerSession(of: credential, at: party)
        } catch {
            environment.refreshes.report(.notRevoked(accountID, because: error))
        }
    }

    /// Revokes both tokens, the second one also when the first one could not be.
    private static func revoke(_ credential: Credential, at party: RelyingParty) async throws {
        var failure: (any Error)?
        if let refreshToken = credential.refreshToken {
            do {
                try await party.revoke(refreshToken, hint: .refreshToken)
            } catch {
                failure = error
            }
        }
        do {
            try await party.revoke(credential.accessToken, hint: .accessToken)
        } catch OAuthError.refused(let refusal)
            where refusal.error == .unsupportedTokenType && credential.refreshToken != nil
        {
            // Some servers revoke refresh tokens only, and what hangs on them with them (RFC 7009 section 2.1).
        } catch {
            failure = failure ?? error
        }
        if let failure { throw failure }
    }

    // MARK: Beyond the protocol

    /// Finishes a sign-in whose app was restarted while the person was in the browser.
    /// - Parameter callback: the URL the app was opened with.
    /// - Throws: ``/OAuthKit/OAuthError`` with `callback_unknown_flow` when no sign-in waits for it.
    @discardableResult
    public func finishSignIn(_ callback: URL) async throws -> AccountID {
        let state = try AuthorizationResponse(callbackURL: callback).state
        let party = try await server.relyingParty
        guard let state, let pending = try await pendingFlows.take(state: state, where: party.started) else {
            throw OAuthError.invalidCallback(.unknownFlow)
        }
        return try await begin(await party.redeem(callback, for: pending), at: party, again: pending.subject != nil)
    }

    /// What the server tells about the person (OpenID Connect Core section 5.3). A token that it no longer accepts is
    /// replaced once.
    /// - Throws: ``/IdentityKit/SessionError``, ``/OAuthKit/OAuthError``.
    public func userInfo(for accountID: AccountID) async throws -> UserInfo {
        let credential = try await sessions.credential(for: accountID, scopes: ["openid"])
        let party = try await server.relyingParty
        return try await retryingRefusal(of: credential) {
            try await sessions.credential(
                for: accountID, scopes: ["openid"], replacing: credential.accessToken.reveal())
        } _: {
            try await userInfo($0.accessToken, subject: accountID.account, at: party)
        }
    }

    func userInfo(_ accessToken: Secret, subject: String?, at party: RelyingParty) async throws -> UserInfo {
        guard let keys = party.keys else { throw OAuthError.invalidMetadata(.missingEndpoint(member: "jwks_uri")) }
        return try await UserInfoRequest(
            userinfoEndpoint: party.metadata.endpoint("userinfo_endpoint"), accessToken: accessToken,
            client: party.client
        ).send(using: environment.transport, subject: subject, validator: party.validator, keys: keys)
    }

    // MARK: The two ways to sign in

    /// - Parameters:
    ///   - account: who must sign in; `nil` for anybody.
    ///   - idTokenHint: tells the server who that is.
    private func signIn(
        scopes: [String], again account: AccountID? = nil, idTokenHint: Secret? = nil
    ) async throws -> AccountID? {
        switch settings.method {
        case .browser:
            guard let browser = environment.webAuthenticator, let redirectURI = settings.redirectURI else { return nil }
            let party = try await server.relyingParty
            var request = try party.authorizationRequest(
                redirectURI: await browser.redirectURI(for: redirectURI), scopes: scopes)
            request.subject = account?.account
            request.idTokenHint = idTokenHint
            request.prompt = settings.prompt(for: scopes)
            request.extraParameters = settings.authorizationParameters.fields
            // Before the flow is remembered: one that the server does not take waits for nothing.
            let url = try await party.url(for: request, pushed: settings.pushesAuthorizationRequests)
            try await pendingFlows.add(request.pending)
            let callback = try await browser.authenticate(WebAuthenticationRequest(url: url, for: request.pending))
            // Whatever the answer is, the flow is over: a callback can be used once.
            let pending = try await pendingFlows.take(state: request.state)
            guard let pending else { throw OAuthError.invalidCallback(.unknownFlow) }
            return try await begin(await party.redeem(callback, for: pending), at: party, again: account != nil)
        case .device:
            guard let presenter = environment.deviceCodePresenter else { return nil }
            let party = try await server.relyingParty
            let authorization = try await party.authorizeDevice(
                scopes: scopes, extraParameters: settings.authorizationParameters.fields)
            try await presenter.show(
                DeviceCode(
                    userCode: authorization.userCode, verificationURI: authorization.verificationURI,
                    verificationURIComplete: authorization.verificationURIComplete,
                    expiresAt: authorization.expiresAt))
            let tokens = try await party.tokens(for: authorization, subject: account?.account)
            if tokens.idToken != nil { return try await begin(tokens, at: party, again: account != nil) }
            // RFC 8628 knows no ID token, and not every server adds one. The access token came from the server itself,
            // so its word about whom it belongs to is as good.
            let person = try await userInfo(tokens.response.accessToken, subject: account?.account, at: party)
            return try await begin(
                tokens, for: person.subject, profile: AccountProfile(claims: person.claims), again: account != nil)
        }
    }

    private func endServerSession(of credential: Credential, at party: RelyingParty) async throws {
        guard let returnURI = settings.postLogoutRedirectURI, let browser = environment.webAuthenticator,
            let endpoint = party.metadata.endSessionEndpoint
        else { return }
        let request = try EndSessionRequest(
            client: party.client, endSessionEndpoint: endpoint, idTokenHint: credential.idToken,
            postLogoutRedirectURI: await browser.redirectURI(for: returnURI), random: environment.random)
        try request.checkReturn(await browser.authenticate(WebAuthenticationRequest(request)))
    }

    private static func discoveredServer(
        _ settings: OpenIDConnectSettings, _ environment: IdentityEnvironment
    ) -> DiscoveredRelyingParty {
        DiscoveredRelyingParty {
            var party = RelyingParty(
                metadata: try await Discovery.discover(
                    issuer: settings.issuer, using: environment.transport,
                    transportSecurity: settings.transportSecurity, replacing: settings.endpoints),
                client: OAuthClient(
                    id: settings.clientID, authentication: authentication(settings, environment),
                    transportSecurity: settings.transportSecurity),
                transport: environment.transport, random: environment.random, time: environment.time)
            party.tokenParameters = settings.tokenParameters.fields
            return party
        }
    }

    /// Assertions live for a minute, so they are made by the clock of everything else.
    private static func authentication(
        _ settings: OpenIDConnectSettings, _ environment: IdentityEnvironment
    ) -> ClientAuthentication {
        guard case .privateKeyJWT(let assertion) = settings.authentication else { return settings.authentication }
        return .privateKeyJWT(
            ClientAssertion(
                key: assertion.key, audience: assertion.audience, lifetime: assertion.lifetime,
                random: environment.random, time: environment.time))
    }
}

extension OpenIDConnectProvider: CustomReflectable {
    /// Shows the settings, without their secrets.
    public var customMirror: Mirror { Mirror(self, showing: ["settings": settings]) }
}
