import Foundation
import IdentityKit
import IdentityOAuth

/// A ThunderID server as an identity provider.
///
/// In a native sign-in, the app itself shows the steps of the server's flow. With a `clientID`, the flow belongs to an
/// authorization request that needs no browser, and the session can be refreshed. With only an `applicationID`, the flow ends
/// with an assertion, which serves as the access token. The session then ends when the assertion expires, after an hour.
///
/// ThunderID revokes a session whose refresh token is used twice. ``ThunderIDSettings/replay`` therefore decides when a refresh
/// token is sent again after a request without a response.
public final class ThunderIDProvider: SessionBackedProvider, TokenPresenting {
    /// A function that returns the value of the header `Attestation-Token`, called for each start of a native flow without
    /// a `clientID`.
    public typealias Attestation = @Sendable () async throws -> Secret

    private let settings: ThunderIDSettings
    private let name: String
    private let environment: IdentityEnvironment
    private let flows: FlowDriver
    private let tokens: TokenService?
    private let users: UserDirectoryAPI
    package let presentation: TokenPresentation
    private let passkeys: (any PasskeyAuthenticator)?
    private let attestation: Attestation?
    /// The sessions of this provider, in the store of its environment.
    public let sessions: ProviderSessions

    /// Creates a provider, without a request to the server.
    /// - Parameters:
    ///   - settings: the server, the application, and the sign-in method.
    ///   - context: the provider's name and its environment.
    ///   - passkeys: gets passkey responses for native flows; with `nil`, a step that needs a passkey fails.
    ///   - attestation: makes the app's attestation, for an application that requires it. It is not used with a `clientID`.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if a setting that the sign-in method needs is missing. A
    ///   native sign-in needs `clientID` or `applicationID`. A sign-in in the browser needs `clientID` and
    ///   `redirectURI`. A sign-in by a message needs `clientID`.
    public init(
        settings: ThunderIDSettings, context: ProviderContext, passkeys: (any PasskeyAuthenticator)? = nil,
        attestation: Attestation? = nil
    ) throws {
        switch (settings.clientID, settings.redirectURI, settings.applicationID, settings.method) {
        case (_?, _?, _, .redirect), (_?, _, _, .native), (nil, _, _?, .native), (_?, _, _, .message): break
        case (_?, nil, _, .redirect):
            throw IAMError(.invalidConfiguration, "Set redirectURI to an address that is registered for clientID.")
        default:
            throw IAMError(.invalidConfiguration, "Set clientID, or applicationID with the native sign-in.")
        }
        self.settings = settings
        self.passkeys = passkeys
        self.attestation = attestation
        name = context.name
        var context = context
        context.environment = context.environment.guarded(besides: [settings.baseURL.url])
        environment = context.environment
        let server = ServerAPI(baseURL: settings.baseURL, transport: context.environment.transport)
        let tokens = settings.clientID.map {
            TokenService(
                server: server,
                client: OAuthClient(
                    id: $0, transportSecurity: TransportSecurity(allowsLoopbackHTTP: settings.allowsLoopbackHTTP)),
                pushesAuthorizationRequests: settings.pushesAuthorizationRequests, bindsTokens: settings.bindsTokens,
                environment: context.environment)
        }
        self.tokens = tokens
        flows = FlowDriver(
            api: FlowAPI(server: server), texts: FlowTextsAPI(server: server), tokens: tokens,
            time: context.environment.time, language: settings.language)
        users = UserDirectoryAPI(server: server, environment: context.environment)
        presentation = TokenPresentation(baseURL: settings.baseURL, tokens: tokens)
        sessions = ProviderSessions(
            realm: context.name,
            origin: .thunderID(settings.baseURL, clientID: settings.clientID, applicationID: settings.applicationID),
            replay: settings.replay, tokens: tokens, environment: context.environment)
    }

    /// Signs in by the configured method and stores the session.
    /// - Returns: the account; `nil` if something that the method needs is missing. A native sign-in needs a prompter. A
    ///   sign-in in the browser needs a browser. A sign-in by a message needs a presenter and the name of the person.
    /// - Throws: ``IAMError``; ``PasswordChangedError`` when the user has replaced a forgotten password without signing
    ///   in; `CancellationError` when the user gives up; ``/IdentityCore/TokenStoreError`` when the session cannot be
    ///   stored; an error with the code `randomness_unavailable`; or any other error of the prompter, the browser, the
    ///   presenter or the attestation.
    public func signIn(in context: CallerContext) async throws -> AccountID? {
        try await signIn(in: context, options: .init())
    }

    /// The form in which a person signs in: `questions` for a native sign-in, `page` for a sign-in in the browser,
    /// `otherDevice` for a sign-in by a message.
    public var signInForm: SignInForm? {
        switch settings.method {
        case .native: .questions
        case .redirect: .page
        case .message: .otherDevice
        }
    }

    /// Signs in as ``signIn(in:)`` does, with options for this sign-in only. A sign-in by a message supports only a login
    /// hint, and a native sign-in supports no options.
    /// - Throws: as ``signIn(in:)``; an error with the code `sign_in_options_unusable` for an option that the method
    ///   does not support.
    public func signIn(in context: CallerContext, options: SignInWishes) async throws -> AccountID? {
        let isPlain = options.prompt == nil && options.maximumAge == nil
        guard options.isEmpty || settings.method == .redirect || settings.method == .message && isPlain else {
            throw SignInOptionsError()
        }
        guard let session = try await obtain(scopes: settings.scopes.adding(context.scopes), options) else {
            return nil
        }
        return try await begin(session.credential)
    }

    /// Ensures that the session has `scopes`, by a new sign-in if necessary. If another person signs in, their tokens
    /// are revoked and the session stays as it was. `deviceToken` is ignored.
    /// - Returns: the challenge that a passkey signed in the new sign-in; `nil` without a new sign-in or a passkey.
    /// - Throws: ``/IdentityCore/SessionError/insufficientScope(_:missing:)`` if the new session lacks scopes, too, or no
    ///   sign-in can be shown; another ``/IdentityCore/SessionError`` if the session has ended or is suspended; ``IAMError``,
    ///   with `authenticationFailed` if another person signed in; ``/IdentityCore/TokenStoreError``; otherwise as
    ///   ``signIn(in:)``.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await sessions.stepUp(accountID, to: scopes) { (current, scopes) -> NewSession? in
            guard let session = try await obtain(scopes: settings.scopes.adding(scopes), again: current) else {
                return nil
            }
            guard session.credential.subject.map(account) == accountID else {
                await sessions.revoke(session.credential, of: session.credential.subject.map(account) ?? accountID)
                throw IAMError(
                    .authenticationFailed,
                    "Another person signed in than the one who is to authorize this. Nothing was changed.")
            }
            try await begin(session.credential, isStepUp: true)
            return session
        }?.challenge
    }

    /// Ends the session in the store and revokes it at the server. The revocation of one token ends all tokens of the
    /// session. If the server cannot be reached, the event `session.revocation_postponed` reports that, and the
    /// revocation is retried later.
    ///
    /// The server's own APIs, such as `users/me`, may accept the access token for another minute. An assertion from a
    /// sign-in without a client cannot be revoked and stays valid until it expires.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func signOut(_ accountID: AccountID) async throws {
        guard let credential = try await sessions.end(accountID) else { return }
        // The session is deleted already. If the revocation fails, the sign-out still succeeds.
        await sessions.revoke(credential, of: accountID)
    }

    /// Returns the time at which the session of `account` ends; `nil` without a session, or if the time is unknown. A refresh
    /// does not postpone this end, so the app may ask for a new sign-in at a convenient time before it.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func sessionEnd(of account: AccountID) async throws -> Date? {
        try await sessions.storedCredential(of: account)?.sessionEndsAt
    }

    /// A session that is not stored yet. The challenge is the one that a passkey signed; `nil` if no passkey was used.
    private typealias NewSession = (credential: Credential, challenge: Data?)

    @discardableResult
    private func begin(_ credential: Credential, isStepUp: Bool = false) async throws -> AccountID {
        guard let subject = credential.subject, !subject.isEmpty else {
            throw IAMError(.serverError, "The server did not say who signed in. Try again later.")
        }
        try await sessions.begin(await users.completing(credential), for: account(subject), isStepUp: isStepUp)
        return account(subject)
    }

    private func account(_ subject: String) -> AccountID { AccountID(account: subject, realm: name) }

    private func obtain(
        scopes: [String], _ options: SignInWishes = .init(), again current: Credential? = nil
    ) async throws -> NewSession? {
        try await IAMError.translating {
            switch settings.method {
            case .native:
                guard let prompter = environment.prompter else { return nil }
                let signIn = FlowSignIn(
                    driver: flows, prompter: prompter, providerName: name, browser: environment.webAuthenticator,
                    passkeys: passkeys, restart: { [self] in try await nativeFlow(scopes: scopes) })
                return try await signIn.finish(signIn.restart())
            case .redirect:
                guard let browser = environment.webAuthenticator, let tokens, let redirectURI = settings.redirectURI
                else { return nil }
                let party = try await tokens.connection.party(of: nil as Credential?)
                var request = try party.authorizationRequest(
                    redirectURI: await browser.redirectURI(for: redirectURI), scopes: scopes)
                request.prompt = options.prompts ?? request.prompt
                request.options.uiLocales = settings.language.map { [$0] } ?? []
                request.options = request.options.with(options)
                let callback = try await party.callback(
                    to: request, in: browser, pushed: settings.pushesAuthorizationRequests)
                return (tokens.credential(try await party.redeem(callback, for: request.pending)), nil)
            case .message:
                guard let presenter = environment.deviceCodePresenter, let tokens,
                    let person = try await hint(options, again: current)
                else { return nil }
                let signIn = MessageSignIn(tokens: tokens) {
                    try await presenter.showConfirmation(to: $0, bindingMessage: $1, expiresAt: $2)
                }
                return (try await signIn.credential(of: person, scopes: scopes, subject: current?.subject), nil)
            }
        }
    }

    /// Returns the recipient of a message: the person of the session's ID token, or else of the login hint, or else the name
    /// that the person enters at a prompt. Returns `nil` if there is none of these.
    private func hint(
        _ options: SignInWishes, again current: Credential?
    ) async throws -> BackchannelHint? {
        if let idToken = current?.idToken { return .idToken(idToken) }
        if let name = options.loginHint { return .login(name) }
        let field = SignInPrompt.Field(identifier: "username", label: "User name or e-mail address", kind: .username)
        let reply = try await environment.prompter?.answer(SignInPrompt(provider: name, fields: [field]))
        guard let entered = reply?.values["username"]?.reveal(), !entered.isEmpty else { return nil }
        return .login(entered)
    }

    /// Starts the flow of an authorization request if there is a client identifier, otherwise a flow of the application.
    private func nativeFlow(scopes: [String]) async throws -> FlowState {
        guard let tokens else {
            var flow = FlowState(applicationID: settings.applicationID)
            try await flows.begin(&flow, attestation: try await attestation?())
            return flow
        }
        let party = try await tokens.connection.party(of: nil as Credential?)
        let authorization = try await tokens.open(
            party.authorizationRequest(returningTo: settings.redirectURI, scopes: scopes))
        var flow = FlowState(applicationID: authorization.applicationID, authorization: authorization)
        try await flows.begin(&flow)
        return flow
    }
}

extension ThunderIDProvider: ServerExamining {
    /// Fetches the server's metadata. With a client identifier, also checks that the metadata allows an authorization
    /// request, which is not sent.
    /// - Throws: ``IAMError``, `CancellationError`, or an error with the code `randomness_unavailable`.
    public func examineServer() async throws -> ExaminedServer? {
        try await IAMError.translating {
            let metadata: AuthorizationServerMetadata
            if let tokens {
                let party = try await tokens.connection.party(of: nil as Credential?)
                _ = try party.authorizationRequest(returningTo: settings.redirectURI, scopes: settings.scopes)
                metadata = party.metadata
            } else {
                // Without a client, the first request of a sign-in would start a flow, so fetch only the metadata.
                metadata = try await ServerAPI(baseURL: settings.baseURL, transport: environment.transport)
                    .metadata(TransportSecurity(allowsLoopbackHTTP: settings.allowsLoopbackHTTP))
            }
            return ExaminedServer(
                address: settings.baseURL.description, namesItself: metadata.sendsIssuerInAuthorizationResponse)
        }
    }
}

extension SessionOrigin {
    /// Returns the origin of a client's sessions, by which they are distinguished from those of other servers and clients.
    /// Without a client, the application's identifier takes the place of the client's, because an assertion is valid for only
    /// one application.
    static func thunderID(_ baseURL: ServerURL, clientID: String?, applicationID: String?) -> SessionOrigin {
        SessionOrigin(
            type: ThunderIDPlugin.type, backend: baseURL.description,
            clientID: [clientID, applicationID].compactMap { $0 }.first { !$0.isEmpty })
    }
}

extension ProviderSessions {
    /// Creates the sessions of a provider. With `nil` for `tokens`, sessions can be neither refreshed nor revoked.
    convenience init(
        realm: String, origin: SessionOrigin, replay: ReplayPolicy = .never, tokens: TokenService?,
        environment: IdentityEnvironment
    ) {
        var backend = SessionBackend(
            origin: origin, replay: replay,
            discard: { credential in
                guard credential.refreshToken != nil else { return }
                try? await tokens?.revoke(credential)
            },
            // The server revokes the tokens of each sign-in separately, so a revocation leaves other sign-ins valid.
            areIndependent: { _, _ in true },
            revoke: { credential in try await IAMError.translating { try await tokens?.revoke(credential) } }
        ) { try await tokens?.refresh($0, in: $1) ?? .refused(reason: "It cannot be refreshed.") }
        backend.verify = { try await tokens?.verify($0, in: $1) ?? .refused(reason: "It cannot be refreshed.") }
        self.init(backend, in: ProviderContext(name: realm, environment: environment))
    }
}
