import Foundation
import IdentityKit
import OAuthKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A ThunderID server as an identity provider.
///
/// A native sign-in with a `clientID` drives the flow of an authorization request without a browser (contract 1.13),
/// because that is the only way to a session that can be refreshed. With an `applicationID` alone the flow's assertion is
/// the access token: it lasts an hour and ends the session with it.
///
/// ThunderID rotates refresh tokens and revokes the whole session when one is used twice, so refreshes go through the
/// shared store's lease and are never repeated.
public final class ThunderIDProvider: SessionBackedProvider {
    /// Makes the `Attestation-Token` of one native sign-in (contract 5).
    public typealias Attestation = @Sendable () async throws -> Secret

    private let settings: ThunderIDSettings
    private let name: String
    private let environment: IdentityEnvironment
    private let flows: FlowDriver
    private let tokens: TokenService?
    private let users: UserDirectoryAPI
    private let presentation: TokenPresentation
    private let passkeys: (any PasskeyAuthenticator)?
    private let attestation: Attestation?
    /// The sessions in the shared store.
    public let sessions: ProviderSessions
    /// What an earlier version's ``ThunderIDClient`` may have stored elsewhere.
    private let former: ClientSessions?

    /// Opens a provider. Nothing is requested.
    /// - Parameters:
    ///   - settings: the server and the application.
    ///   - context: the name, the store and the rest of what is shared.
    ///   - passkeys: asks for a passkey where a native flow wants one.
    ///   - attestation: proves which app this is, for an application that is to be attested and has no `clientID`.
    /// - Throws: ``IAMError`` with `invalidConfiguration` when the settings do not fit together.
    public init(
        settings: ThunderIDSettings, context: ProviderContext, passkeys: (any PasskeyAuthenticator)? = nil,
        attestation: Attestation? = nil
    ) throws {
        switch (settings.clientID, settings.redirectURI, settings.applicationID, settings.method) {
        case (_?, _?, _, _), (nil, _, _?, .native): break
        case (_?, nil, _, _):
            throw IAMError(.invalidConfiguration, "Set redirectURI to an address that is registered for clientID.")
        default:
            throw IAMError(
                .invalidConfiguration, "Set clientID and redirectURI, or applicationID with the native sign-in.")
        }
        self.settings = settings
        self.passkeys = passkeys
        self.attestation = attestation
        name = context.name
        environment = context.environment
        let server = ServerAPI(baseURL: settings.baseURL, transport: context.environment.transport)
        let tokens = settings.clientID.map {
            TokenService(server: server, profile: settings.profile(clientID: $0), environment: context.environment)
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
            tokens: tokens, environment: context.environment)
        former =
            context.name != ThunderIDPlugin.type
            ? nil
            : ClientSessions(
                sessions, clientName: settings.clientID ?? settings.applicationID ?? "", baseURL: settings.baseURL,
                tokens: tokens, context.environment)
    }

    // MARK: SessionBackedProvider

    /// The account that signed in last and still has a session, here or with a ``ThunderIDClient``.
    /// - Throws: ``/IdentityKit/TokenStoreError``.
    public func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup {
        try await former?.takeOver(ClientSessions.unnamed)
        return try await sessions.lookUp()
    }

    /// Signs in by the configured method; `nil` when there is nobody to ask or no browser to open.
    /// - Throws: ``IAMError``, or `CancellationError` when the user gives up.
    public func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        guard let session = try await obtain(scopes: settings.scopes.adding(scopes)) else { return nil }
        return try await begin(session.credential)
    }

    /// Makes sure that the session carries `scopes`; signs in again when it does not.
    /// - Returns: the challenge that a passkey signed for it; `nil` when there was none.
    /// - Throws: ``/IdentityKit/SessionError/insufficientScope(_:missing:)`` when the new session lacks them too or no
    ///   sign-in can be shown, ``IAMError``: with `authenticationFailed` when another person signed in, whose tokens are revoked.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await sessions.stepUp(accountID, to: scopes) { (_, scopes) -> NewSession? in
            guard let session = try await obtain(scopes: settings.scopes.adding(scopes)) else { return nil }
            guard session.credential.subject.map(account) == accountID else {
                await revoke(session.credential, of: session.credential.subject.map(account) ?? accountID)
                throw IAMError(
                    .authenticationFailed,
                    "Another person signed in than the one who is to authorize this. Nothing was changed.")
            }
            try await begin(session.credential, isStepUp: true)
            return session
        }?.challenge
    }

    /// Ends the session here and revokes it at the server, which ends all its tokens at once. A server that cannot be told
    /// is reported as ``/IdentityKit/SessionReport/notRevoked(_:because:)``.
    ///
    /// The server's own APIs, such as `users/me`, learn of a revocation once a minute: until then they may take the
    /// session's access token, or its assertion (contract 2.7). A session without a client is its assertion, which no server
    /// is told of: it expires.
    /// - Throws: ``/IdentityKit/TokenStoreError``.
    public func signOut(_ accountID: AccountID) async throws {
        guard let credential = try await sessions.end(accountID) else { return }
        // The session is over here, whether or not the server can be told.
        await revoke(credential, of: accountID)
    }

    private func revoke(_ credential: Credential, of account: AccountID) async {
        await environment.tellServer(ofEndOf: account) {
            try await IAMError.translating { try await tokens?.revoke(credential) }
        }
    }

    // MARK: Requests

    /// `request` with the account's token. One that is bound to a key comes with a proof of it (RFC 9449), except at the
    /// person's own record, where the server takes bearer tokens alone.
    /// - Throws: ``/IdentityKit/SessionError``, ``/IdentityKit/TokenStoreError``, or ``IAMError``.
    public func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest {
        try await presentation.authorizing(request, with: sessions.credential(for: accountID, scopes: scopes))
    }

    /// `request` once more after a refusal: with the same token and the proof that the server asks for, or with another
    /// token.
    /// - Throws: as ``authorize(_:for:scopes:)``.
    public func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest? {
        try await presentation.reauthorizing(request, after: response) { rejected in
            try await sessions.credential(for: accountID, scopes: scopes, replacing: rejected)
        }
    }

    // MARK: Beyond the protocol

    /// When the session of `account` ends whatever is done, so that the app can ask for a new sign-in at a good moment
    /// (contract 2.5); `nil` when nobody is signed in or nobody knows.
    /// - Throws: ``/IdentityKit/TokenStoreError``.
    public func sessionEnd(of account: AccountID) async throws -> Date? {
        try await sessions.session(of: account)?.sessionEndsAt
    }

    // MARK: The three ways to sign in

    /// A session that is not stored yet.
    private struct NewSession: Sendable {
        let credential: Credential
        var challenge: Data?
    }

    @discardableResult
    private func begin(_ credential: Credential, isStepUp: Bool = false) async throws -> AccountID {
        guard let subject = credential.subject, !subject.isEmpty else {
            throw IAMError(.serverError, "The server did not say who signed in. Try again later.")
        }
        try await sessions.begin(await users.completing(credential), for: account(subject), isStepUp: isStepUp)
        return account(subject)
    }

    private func account(_ subject: String) -> AccountID { AccountID(account: subject, realm: name) }

    private func obtain(scopes: [String]) async throws -> NewSession? {
        switch (settings.method, tokens, settings.redirectURI) {
        case (.native, let tokens?, let redirectURI?):
            guard let prompter = environment.prompter else { return nil }
            return try await obtainNatively(tokens, redirectURI: redirectURI, scopes: scopes, prompter: prompter)
        case (.native, _, _):
            guard let prompter = environment.prompter, let applicationID = settings.applicationID else { return nil }
            return try await obtainNatively(applicationID: applicationID, prompter: prompter)
        case (.redirect, let tokens?, let redirectURI?):
            guard let browser = environment.webAuthenticator else { return nil }
            return try await obtain(tokens, redirectURI: redirectURI, scopes: scopes, browser: browser)
        case (.redirect, _, _):
            return nil
        }
    }

    private func obtainNatively(
        _ tokens: TokenService, redirectURI: URL, scopes: [String], prompter: any FlowPrompter
    ) async throws -> NewSession {
        try await IAMError.translating {
            let party = try await tokens.relyingParty
            let request = try party.authorizationRequest(redirectURI: redirectURI, scopes: scopes)
            let authorization = try await tokens.open(request)
            var flow = FlowState(applicationID: authorization.applicationID, authorization: authorization)
            try await flows.begin(&flow)
            return try await finish(flow, prompter)
        }
    }

    private func obtainNatively(applicationID: String, prompter: any FlowPrompter) async throws -> NewSession {
        var flow = FlowState(applicationID: applicationID)
        try await flows.begin(&flow, attestation: try await attestation?())
        return try await finish(flow, prompter)
    }

    private func finish(_ flow: FlowState, _ prompter: any FlowPrompter) async throws -> NewSession {
        let signIn = FlowSignIn(
            driver: flows, prompter: prompter, providerName: name, browser: environment.webAuthenticator,
            passkeys: passkeys)
        let (credential, challenge) = try await signIn.finish(flow)
        return NewSession(credential: credential, challenge: challenge)
    }

    private func obtain(
        _ tokens: TokenService, redirectURI: URL, scopes: [String], browser: any WebAuthenticator
    ) async throws -> NewSession {
        try await IAMError.translating {
            let party = try await tokens.relyingParty
            let request = try party.authorizationRequest(
                redirectURI: await browser.redirectURI(for: redirectURI), scopes: scopes)
            let signedIn = try await party.signIn(
                request, in: browser, pushed: tokens.profile.pushesAuthorizationRequests)
            return NewSession(credential: tokens.credential(signedIn))
        }
    }
}

extension SessionOrigin {
    /// Where the sessions of a client come from, or, where there is no client, of an application: the assertion of a native
    /// flow is meant for one application.
    static func thunderID(_ baseURL: ServerURL, clientID: String?, applicationID: String?) -> SessionOrigin {
        SessionOrigin(
            type: ThunderIDPlugin.type, backend: baseURL.description,
            clientID: [clientID, applicationID].compactMap { $0 }.first { !$0.isEmpty })
    }
}

extension ProviderSessions {
    /// The sessions at a ThunderID server.
    convenience init(realm: String, origin: SessionOrigin, tokens: TokenService?, environment: IdentityEnvironment) {
        self.init(
            realm: realm, origin: origin, store: environment.store, time: environment.time,
            // It rotates refresh tokens, and a second use of one ends the session (contract 2.5).
            replay: .never, monitor: environment.refreshes,
            discard: { credential in
                guard credential.refreshToken != nil else { return }
                try? await tokens?.revoke(credential)
            },
            // Each sign-in is a family of tokens of its own (contract 2.7).
            areIndependent: { _, _ in true },
            verify: { credential in
                guard let tokens else { return .refused(reason: "It cannot be refreshed.") }
                return try await tokens.verify(credential).knowing(credential.profile)
            }
        ) { credential in
            guard let tokens else { return .refused(reason: "It cannot be refreshed.") }
            return try await tokens.refresh(credential.modernized).knowing(credential.profile)
        }
    }

    /// The session as it is stored, valid or not; `nil` when there is none.
    /// - Throws: ``TokenStoreError``.
    func session(of account: AccountID) async throws -> Credential? {
        try await storedCredential(of: account)?.modernized
    }
}

extension RefreshResult {
    fileprivate func knowing(_ profile: AccountProfile?) -> RefreshResult {
        guard case .refreshed(let credential, let dropped) = self else { return self }
        return .refreshed(credential.knowing(profile), dropping: dropped)
    }
}

extension RefreshVerification {
    fileprivate func knowing(_ profile: AccountProfile?) -> RefreshVerification {
        guard case .verified(let credential, let dropped) = self else { return self }
        return .verified(credential.knowing(profile), dropping: dropped)
    }
}

extension Credential {
    /// The session with what its tokens say of the person, where it did not know it before: a server of this kind repeats
    /// what it knew at the sign-in, and the person's record may have been changed since (contract 2.6).
    fileprivate func knowing(_ profile: AccountProfile?) -> Credential {
        var credential = self
        let told = self.profile.completed(with: AccountProfile(attributes: toldClaims))
        credential.profile = profile.completed(with: told)
        return credential
    }
}
