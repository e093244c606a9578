import Foundation
import IdentityKit

/// An OAuth server as an identity provider: sign-in in the browser or on another device, sessions that are refreshed once
/// for all callers, incremental consent, and sign-out.
///
/// An ``OAuthServer`` describes the server. A provider with more features can wrap an `OAuthSessionProvider`.
public final class OAuthSessionProvider: SessionBackedProvider, TokenPresenting, ResourceAsking {
    public let server: OAuthServer
    /// The sessions of this provider, in the store that all processes share.
    public let sessions: ProviderSessions

    package let environment: IdentityEnvironment
    let connection: OAuthConnection
    private let pendingFlows: PendingAuthorizations
    private let callbacks: HandledCallbacks<AccountID>
    /// The results of callbacks that ``finishSignIn(_:path:query:)`` has handled, so that a repeated callback gets the same
    /// result. Unlike `callbacks`, they are kept when a person signs out, because they are the sign-ins of several people.
    let webCallbacks: HandledCallbacks<CompletedSignIn>
    package let presentation: TokenPresentation

    /// Creates a provider. No request is sent before the first use.
    public init(_ server: OAuthServer, context: ProviderContext) {
        let connection = OAuthConnection(server, in: context.environment)
        let environment = connection.environment
        var context = context
        context.environment = environment
        self.server = server
        self.environment = environment
        self.connection = connection
        presentation = TokenPresentation(prover: connection.prover(for:), resource: server.resource)
        pendingFlows = PendingAuthorizations(store: environment.observedStore, time: environment.time)
        callbacks = HandledCallbacks(time: environment.time)
        webCallbacks = HandledCallbacks(limit: 10_000, time: environment.time)
        var backend = SessionBackend(
            origin: connection.origin,
            replay: server.replay,
            discard: { credential in
                guard let refreshToken = credential.refreshToken else { return }
                try? await connection.party(of: credential).revoke(refreshToken, hint: .refreshToken)
            },
            // A revocation at Auth0 may end all sessions of the person. `survivesRevocation(of:)` does not recognize Auth0 by a
            // custom domain, so the setting `tokensByResource` is checked too.
            areIndependent: { [style = server.tokensByResource] old, new in
                style != .auth0 && new.survivesRevocation(of: old)
            },
            inquire: { [account = server.account] credential in
                try await account.takes(credential, at: connection.party(of: credential))
            },
            revoke: { try await connection.party(of: $0).revoke($0) }
        ) { try await connection.refresh($0, in: $1) }
        backend.verify = { try await connection.verify($0, in: $1) }
        backend.tokensByResource = server.tokensByResource
        backend.audience = { try await connection.audience(of: $0, in: $1, $2) }
        sessions = ProviderSessions(backend, in: context)
    }

    /// Returns the client to which a session's tokens were issued. Fetches the server's metadata if it is not known yet.
    /// - Throws: ``OAuthError``, ``/IdentityCore/TokenStoreError``, `CancellationError`, or what the transport throws.
    package func relyingParty(of credential: Credential) async throws -> RelyingParty {
        try await connection.party(of: credential)
    }

    /// Signs in with a vendor's token from this device if the app and the server support that, otherwise by the configured
    /// method.
    /// - Returns: `nil` if the app has no browser, or `server` has no redirect URI. For a sign-in on another device, `nil`
    ///   if nothing can show the user code.
    /// - Throws: ``OAuthError``, ``/IdentityCore/TokenStoreError``, an error with the code `randomness_unavailable`,
    ///   `CancellationError` when the user gives up, or what the transport or a part of the environment throws, such as
    ///   the browser or the vendor's library.
    public func signIn(in context: CallerContext) async throws -> AccountID? {
        if let native = server.nativeSignIn, let signIn = environment.nativeSignIn(at: native.vendor) {
            return try await beginSession(by: native, signIn, adding: context.scopes)
        }
        return try await beginSession(adding: context.scopes, again: nil)
    }

    /// Signs in with a vendor's token from this device instead of the server's page.
    private func beginSession(
        by native: NativeTokenGrant, _ vendor: NativeSignIn, adding scopes: Set<String>
    ) async throws -> AccountID {
        let signIn = try await connection.prepareSignIn(adding: scopes, to: nil)
        let answer = try await vendor.boundAnswer(random: environment.random).answer
        let tokens = try await signIn.party.exchange(native.grant(answer.token, scopes: signIn.scopes))
        return try await begin(
            tokens, at: signIn.party, again: nil,
            for: AskedAuthorization(scopes: signIn.scopes, resources: [], apart: nil), told: answer.profile,
            details: NativeGrant.detail(native.vendor, answer))
    }

    /// The kind of sign-in: a page of the server, or a user code for another device.
    public var signInForm: SignInForm? { server.method == .device ? .otherDevice : .page }

    /// Signs in as ``signIn(in:)`` does, with options for this sign-in only. If any option is set, the server's page is shown
    /// even if a vendor's token could be used.
    /// - Throws: as ``signIn(in:)``, and an error with the code `sign_in_options_unusable` if an option is set for a
    ///   sign-in on another device.
    public func signIn(in context: CallerContext, options: SignInWishes) async throws -> AccountID? {
        guard !options.isEmpty else { return try await signIn(in: context) }
        guard server.method == .browser else { throw SignInOptionsError() }
        return try await beginSession(adding: context.scopes, again: nil, options: options)
    }

    /// Ensures that the session has `scopes`, and asks the person for those it lacks (incremental consent).
    /// - Returns: always `nil`, because OAuth has no challenge that the caller must answer.
    /// - Throws: ``/IdentityCore/SessionError``, such as ``/IdentityCore/SessionError/insufficientScope(_:missing:)``
    ///   when the scopes are not granted or no sign-in can be shown; ``OAuthError``, also when another person signed
    ///   in, whose tokens are dropped; `CancellationError` when the user gives up, ``/IdentityCore/TokenStoreError``,
    ///   an error with the code `randomness_unavailable`, or what the transport or a part of the environment throws,
    ///   such as the browser.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await sessions.stepUp(accountID, to: scopes) { current, scopes in
            let stepUp = StepUp(account: accountID, session: current)
            return try await beginSession(adding: scopes, again: stepUp)
        }
        return nil
    }

    /// Signs in again as the refusal of a resource demands. After `insufficient_scope`, the sign-in asks also for the named
    /// scopes that the session lacks (RFC 6750 section 3.1). After `insufficient_user_authentication`, it asks for the
    /// authentication classes and the greatest age that the refusal names (RFC 9470). After `invalid_token`, or after a 401
    /// in which the challenge of a protected resource has no error code, the server is discovered again first.
    /// - Returns: `false` if the response is none of these refusals, if `insufficient_scope` names no scope that the session
    ///   lacks, or if no sign-in can be shown.
    /// - Throws: ``OAuthError``, also when another person signed in, `CancellationError` when the user gives up,
    ///   ``/IdentityCore/SessionError/notSignedIn(_:)`` when the account has signed out meanwhile,
    ///   ``/IdentityCore/TokenStoreError``, an error with the code `randomness_unavailable`, or what the transport or a
    ///   part of the environment throws, such as the browser.
    public func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, in context: CallerContext
    ) async throws -> Bool {
        guard let challenge = ResourceChallenge(response) else { return false }
        let current = try await sessions.storedCredential(of: accountID)
        var stepUp = StepUp(account: accountID, session: current)
        var scopes = current?.scopes ?? []
        // If the challenge of a protected resource with the status 401 has no error code, treat it as `invalid_token`: the
        // resource may now belong to another authorization server.
        let isBare = challenge.error == nil && response.statusCode == 401 && server.resource != nil
        switch isBare ? .invalidToken : challenge.error {
        case .insufficientScope?:
            let missing = Set(challenge.scopes ?? []).subtracting(scopes)
            // If no scope is missing, or the response names none, a new sign-in would get the same access.
            guard !missing.isEmpty else { return false }
            scopes.formUnion(missing)
        case .insufficientUserAuthentication?:
            stepUp.options = server.options.with(challenge)
        case .invalidToken?:
            // The resource may have another authorization server now.
            try await connection.discoverAgain()
        default: return false
        }
        return try await beginSession(adding: scopes, again: stepUp) != nil
    }

    /// Whether `request` goes to the protected resource, and the authorization server of the resource is not known yet. If
    /// `request` is then sent without a token, the response can name that server.
    package func mayAsk(by request: URLRequest) -> Bool {
        guard let resource = server.resource, request.url?.isInside(resource) == true else { return false }
        return connection.awaitsRefusal
    }

    /// Keeps the resource's refusal, from which the discovery may learn the authorization server.
    package func learn(from refusal: HTTPURLResponse) { connection.learn(from: refusal) }

    /// Ends the session here and revokes its tokens. Also ends the server's session in the browser, if
    /// ``OAuthServer/postLogoutRedirectURI`` is set, the app has a browser, and this provider has discovered the server
    /// and its end-session endpoint.
    /// - Throws: ``/IdentityCore/TokenStoreError``. A failed revocation throws no error: it is reported to the
    ///   environment's observers, and after a transient failure it is retried.
    public func signOut(_ accountID: AccountID) async throws {
        callbacks.forget()
        // Ends unfinished flows that would extend this session.
        await pendingFlows.forgetAll { $0.subject?.hasBytes(of: accountID.account) == true }
        let former = try await sessions.end(accountID)
        // A session that could not be ended keeps its server, so that the person is still asked about another one.
        await connection.forgetServerOfResource()
        guard let credential = former else { return }
        // The session is deleted here, so failures at the server do not fail the sign-out.
        await sessions.revoke(credential, of: accountID)
        if connection.knownRelyingParty != nil, let party = try? await relyingParty(of: credential) {
            try? await endServerSession(of: credential, at: party)
        }
    }

    private func endServerSession(of credential: Credential, at party: RelyingParty) async throws {
        guard let returnURI = server.postLogoutRedirectURI, let browser = environment.webAuthenticator,
            let endpoint = party.metadata.endSessionEndpoint
        else { return }
        var request = try EndSessionRequest(
            client: party.client, endSessionEndpoint: endpoint, idTokenHint: credential.idToken,
            postLogoutRedirectURI: await browser.redirectURI(for: returnURI), random: environment.random)
        request.logoutHint = credential.profile?.username ?? credential.profile?.email
        try request.checkReturn(await browser.authenticate(WebAuthenticationRequest(request)))
    }

    /// A request to extend a session: by scopes, by resources, or by a stronger or more recent sign-in.
    struct StepUp: Sendable {
        let account: AccountID
        /// The current session, whose ID token names the person who must sign in; `nil` if it has ended.
        let session: Credential?
        /// Options that replace the configured ones; `nil` to use the configured ones.
        var options: AuthorizationOptions?
        /// The resources that the request names in addition to the configured ones.
        var resources: Set<String> = []
        /// The resource for which the sign-in requests a second authorization, beside the session's first one; `nil` to renew
        /// or extend the first one.
        var apart: String?
    }

    /// Begins a session by the configured sign-in method, or extends one.
    /// - Parameters:
    ///   - scopes: the scopes to ask for in addition to the configured ones.
    ///   - stepUp: the session to extend; `nil` for a new session.
    ///   - asked: the options for this sign-in only.
    /// - Returns: `nil` if the app has no browser, or `server` has no redirect URI. For a sign-in on another device, `nil`
    ///   if nothing can show the user code.
    func beginSession(
        adding scopes: Set<String>, again stepUp: StepUp?, options asked: SignInWishes = .init()
    ) async throws -> AccountID? {
        switch server.method {
        case .browser:
            guard let browser = environment.webAuthenticator, let redirectURI = server.redirectURI else { return nil }
            return try await beginSession(
                in: browser, returningTo: redirectURI, adding: scopes, again: stepUp, options: asked)
        case .device:
            guard let presenter = environment.deviceCodePresenter else { return nil }
            return try await beginSession(showingCodeBy: presenter, adding: scopes, again: stepUp, options: asked)
        }
    }

    private func beginSession(
        in browser: any WebAuthenticator, returningTo redirectURI: URL, adding scopes: Set<String>,
        again stepUp: StepUp?, options asked: SignInWishes
    ) async throws -> AccountID {
        let signIn = try await connection.prepareSignIn(
            adding: scopes, to: stepUp?.session, in: (browser, redirectURI), keeping: scopesKept(for: stepUp))
        let party = signIn.party.asking(for: stepUp?.apart, by: server.tokensByResource)
        var request = try authorizationRequest(
            of: signIn, at: party, returningTo: signIn.redirectURI ?? redirectURI, again: stepUp, options: asked)
        request.idTokenHint = signIn.session?.idToken
        let callback = try await party.callback(
            to: request, in: browser, pushed: server.pushesAuthorizationRequests, remembering: pendingFlows)
        return try await callbacks.value(for: callback) { [self, state = request.state] in
            // Remove the flow before the response is checked, so that a callback is used only once.
            guard let pending = try await pendingFlows.take(state) else {
                throw OAuthError.invalidCallback(await pendingFlows.reasonOfEnd(state))
            }
            return try await begin(
                await party.redeem(callback, for: pending), at: party, again: stepUp,
                for: AskedAuthorization(pending), callback)
        }
    }

    private func beginSession(
        showingCodeBy presenter: any DeviceCodePresenter, adding scopes: Set<String>, again stepUp: StepUp?,
        options asked: SignInWishes
    ) async throws -> AccountID {
        let signIn = try await connection.prepareSignIn(
            adding: scopes, to: stepUp?.session, keeping: scopesKept(for: stepUp))
        let party = signIn.party.asking(for: stepUp?.apart, by: server.tokensByResource)
        let named = options(at: party, again: stepUp, asked)
        let authorization = try await party.authorizeDevice(
            scopes: signIn.scopes,
            extraParameters: try named.deviceParameters() + server.authorizationParameters)
        var code = DeviceCode(authorization)
        code.notice = party.notice
        try await presenter.show(code)
        let tokens = try await party.tokens(for: authorization, subject: stepUp?.account.account)
        let asked = AskedAuthorization(
            scopes: signIn.scopes, resources: named.resources, apart: stepUp?.apart)
        return try await begin(tokens, at: party, again: stepUp, for: asked)
    }

    /// Makes the authorization request of a sign-in in a browser, without an earlier ID token as `id_token_hint`.
    func authorizationRequest(
        of signIn: OAuthConnection.SignIn, at party: RelyingParty, returningTo redirectURI: URL, again stepUp: StepUp?,
        options asked: SignInWishes
    ) throws -> AuthorizationRequest {
        var request = try party.authorizationRequest(redirectURI: redirectURI, scopes: signIn.scopes)
        (request.subject, request.apart) = (stepUp?.account.account, stepUp?.apart)
        request.prompt = asked.prompts ?? server.prompt(signIn.scopes)
        request.responseMode = server.responseMode
        request.options = options(at: party, again: stepUp, asked)
        request.extraParameters = server.authorizationParameters
        return request
    }

    private func options(
        at party: RelyingParty, again stepUp: StepUp?, _ asked: SignInWishes
    ) -> AuthorizationOptions {
        let options = (stepUp?.options ?? server.options.with(stepUp == nil ? party.challenge : nil)).with(asked)
            .with(resource: party.resource, for: server.backend)
        return stepUp?.naming(options, by: server.tokensByResource) ?? options
    }

    /// Finishes a sign-in during which the app was restarted, while the person was in the browser. A copy of the callback that
    /// arrives meanwhile gets the same result, and a copy within the next minute gets the same account or the same definitive
    /// error. If the task is cancelled, the sign-in goes on, because the callback can be used only once.
    /// - Parameter callback: the URL with which the app was opened.
    /// - Throws: ``OAuthError`` for any fault of the sign-in. Its `failureCode` is `callback_unknown_flow` if no sign-in of
    ///   this provider waits for the callback, and `callback_flow_over`, `callback_flow_expired`, `callback_flow_replaced` or
    ///   `callback_signed_out` if the sign-in no longer waits. The code `callback_unconfirmed_error` is for an error without a
    ///   `state`: any app could send that error, so all sign-ins continue. Throws
    ///   ``/IdentityCore/SessionError/notSignedIn(_:)`` if the account of a session to extend has signed out meanwhile. Other
    ///   errors are ``/IdentityCore/TokenStoreError``, an error with the code `randomness_unavailable`, `CancellationError`,
    ///   and what the transport throws.
    @discardableResult
    public func finishSignIn(_ callback: URL) async throws -> AccountID {
        let response = try AuthorizationResponse(callbackURL: callback)
        guard let state = response.state else {
            throw OAuthError.invalidCallback(response.reasonWithoutState(for: try await pendingFlows.waiting()))
        }
        return try await callbacks.value(for: callback, whenAbandoned: .finish) { [self] in
            let found = try await connection.relyingParty
            // Fetch the keys before the flow is taken, so that a copy of the callback can still finish it after a failure.
            if response["code"] != nil, let waiting = try? await pendingFlows.waiting(state),
                connection.started(waiting, at: found)
            {
                try await found.fetchKeys(for: waiting.scopes)
            }
            let taken = try await pendingFlows.take(state) { [connection] in
                connection.started($0, at: found) && !response.isForeignError(to: $0)
            }
            guard let pending = taken else { throw OAuthError.invalidCallback(await pendingFlows.reasonOfEnd(state)) }
            return try await finish(pending, at: found, callback)
        }
    }

    /// Checks the callback of a flow that was started at the server of `found`, exchanges the authorization code, and
    /// stores the session.
    func finish(_ pending: PendingAuthorization, at found: RelyingParty, _ callback: URL) async throws -> AccountID {
        let party = try await connection.acting(found, for: pending)
        var stepUp: StepUp?
        if let account = pending.subject.map({ AccountID(account: $0, realm: sessions.realm) }) {
            stepUp = StepUp(account: account, session: try? await sessions.storedCredential(of: account))
        }
        return try await begin(
            await party.redeem(callback, for: pending), at: party, again: stepUp, for: AskedAuthorization(pending),
            callback)
    }

    /// Begins a session for the person whom the server identifies, or extends the session of `stepUp`.
    /// - Parameters:
    ///   - stepUp: the session that these tokens extend; `nil` for a new session.
    ///   - asked: the requested authorization.
    ///   - callback: the callback with the authorization code; `nil` for a sign-in without a page on this device.
    ///   - told: the profile in the vendor's response on this device; `nil` to use the profile in the callback, if there is
    ///     one.
    ///   - details: additional details for the session's record.
    private func begin(
        _ tokens: TokenSet, at party: RelyingParty, again stepUp: StepUp?, for asked: AskedAuthorization,
        _ callback: URL? = nil, told: AccountProfile? = nil, details: [String: JSONValue] = [:]
    ) async throws -> AccountID {
        let expected = stepUp?.account
        if let resource = asked.apart, let expected {
            return try await add(tokens, at: party, to: expected, for: resource, asked)
        }
        let person = try await server.account.person(
            of: tokens, at: party, expecting: expected?.account, in: environment)
        let account = AccountID(account: person.subject, realm: sessions.realm)
        var credential = tokens.credential(backend: server.backend, clientID: party.client.id)
        if party.idTokensNameAccounts { credential.details[SessionSubject.detail] = .string(person.subject) }
        credential.profile = credential.profile.completed(with: person.profile)
        credential.agreedResources = Set(asked.resources)
        credential.details.merge(details) { $1 }
        if server.responseMode == .formPost || told != nil {
            let told = try told ?? callback.flatMap { try AuthorizationResponse(callbackURL: $0).personInForm }
            // Some servers send the profile at the first sign-in only, so a later sign-in keeps the stored profile.
            let kept = try await sessions.storedCredential(of: account)?.profile
            credential.profile = credential.profile.completed(with: told).completed(with: kept)
        }
        credential.note(issuer: party.metadata.issuer, besides: server.backend)
        // A session of another server is replaced as a whole, without reuse of its tokens.
        let former = expected == nil ? nil : try await sessions.storedCredential(of: account)
        if let former, asked.isWiderThan(server.options, at: party, server.backend), connection.isOf(former, party),
            !credential.covers(former)
        {
            try await sessions.add(credential, to: account)
            return account
        }
        // If the session of `stepUp` is no longer stored, still pass `true` for `isStepUp`. The call then fails if the account
        // has signed out, so that the step-up does not undo the sign-out.
        try await sessions.begin(
            credential, for: account, isStepUp: former.map { connection.isOf($0, party) } ?? (stepUp?.session != nil))
        return account
    }
}

extension OAuthSessionProvider: NativelySigningIn {
    package var nativeVendor: String? { server.nativeSignIn?.vendor }
}

extension OAuthSessionProvider: ServerExamining {
    /// Fetches the server's metadata, and checks that it has the endpoints that a sign-in needs.
    /// - Throws: ``OAuthError``, such as for a missing endpoint, ``/IdentityCore/TokenStoreError``, an error with the
    ///   code `randomness_unavailable`, `CancellationError`, or what the transport throws.
    public func examineServer() async throws -> ExaminedServer? { try await connection.examine() }
}

extension DeviceCode {
    fileprivate init(_ authorization: DeviceAuthorization) {
        self.init(
            userCode: authorization.userCode, verificationURI: authorization.verificationURI,
            verificationURIComplete: authorization.verificationURIComplete, expiresAt: authorization.expiresAt)
    }
}

extension OAuthSessionProvider: Reticent {
    /// Shows the server, without its secrets.
    package var shown: KeyValuePairs<String, Any> { ["server": server] }
}
