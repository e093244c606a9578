import Foundation
import IdentityKit
import OAuthKit

/// A ThunderID server as an identity provider.
///
/// A native sign-in with a `clientID` drives the flow of an authorization request without a browser, because that is the
/// only way to a session that can be renewed. With an `applicationID` alone the flow's assertion is the access token: it
/// lasts an hour and ends the session with it.
///
/// ThunderID rotates refresh tokens and revokes the whole session when one is used twice, so renewals go through the
/// shared store's lease and are never repeated.
public final class ThunderIDProvider: SessionBackedProvider {
    private let settings: ThunderIDSettings
    private let name: String
    private let environment: IdentityEnvironment
    private let flows: FlowAPI
    private let tokens: TokenService?
    /// The sessions in the shared store.
    public let sessions: ProviderSessions

    /// Opens a provider. Nothing is requested.
    /// - Throws: ``IAMError`` with `invalidConfiguration` when the settings do not fit together.
    public init(settings: ThunderIDSettings, context: ProviderContext) throws {
        switch (settings.clientID, settings.redirectURI, settings.applicationID, settings.method) {
        case (_?, _?, _, _), (nil, _, _?, .native): break
        case (_?, nil, _, _):
            throw IAMError(.invalidConfiguration, "Set redirectURI to an address that is registered for clientID.")
        default:
            throw IAMError(
                .invalidConfiguration, "Set clientID and redirectURI, or applicationID with the native sign-in.")
        }
        self.settings = settings
        name = context.name
        environment = context.environment
        flows = FlowAPI(baseURL: settings.baseURL, transport: context.environment.transport)
        let tokens = settings.clientID.map {
            TokenService(settings: settings, clientID: $0, environment: context.environment)
        }
        self.tokens = tokens
        let time = context.environment.time
        sessions = ProviderSessions(
            realm: context.name, backend: settings.baseURL.description, store: context.environment.store, time: time,
            // It rotates refresh tokens, and a second use of one ends the session (ThunderID token families).
            replay: .never, monitor: context.environment.renewals,
            discard: { credential in
                guard let refreshToken = credential.refreshToken else { return }
                try? await tokens?.relyingParty.revoke(refreshToken, hint: .refreshToken)
            }
        ) { credential in
            try await Self.renew(credential, tokens: tokens)
        }
    }

    // MARK: SessionBackedProvider

    /// Signs in by the configured method; `nil` when there is nobody to ask or no browser to open.
    /// - Throws: ``IAMError``, or `CancellationError` when the user gives up.
    public func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        let scopes = settings.scopes + scopes.subtracting(settings.scopes).sorted()
        switch (settings.method, tokens, settings.redirectURI) {
        case (.native, let tokens?, let redirectURI?):
            guard let prompter = environment.prompter else { return nil }
            return try await signInNatively(tokens, redirectURI: redirectURI, scopes: scopes, prompter: prompter)
        case (.native, _, _):
            guard let prompter = environment.prompter, let applicationID = settings.applicationID else { return nil }
            return try await signInNatively(applicationID: applicationID, prompter: prompter)
        case (.redirect, let tokens?, let redirectURI?):
            guard let webAuthenticator = environment.webAuthenticator else { return nil }
            return try await signIn(tokens, redirectURI: redirectURI, scopes: scopes, browser: webAuthenticator)
        case (.redirect, _, _):
            return nil
        }
    }

    /// Makes sure that the session carries `scopes`; signs in again when it does not.
    /// - Returns: `nil`; ThunderID gives no challenge.
    /// - Throws: ``SessionError/insufficientScope(_:missing:)`` when the new session lacks them too or no sign-in can be
    ///   shown, ``IAMError``.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        do {
            _ = try await sessions.credential(for: accountID, scopes: scopes)
        } catch let error as SessionError {
            guard case .insufficientScope = error,
                try await signIn(scopes: scopes, deviceToken: deviceToken) == accountID
            else { throw error }
            _ = try await sessions.credential(for: accountID, scopes: scopes)
        }
        return nil
    }

    /// Ends the session here and revokes it at the server, which ends all its tokens at once.
    /// - Throws: ``TokenStoreError``.
    public func signOut(_ accountID: AccountID) async throws {
        guard let credential = try await sessions.end(accountID), let tokens else { return }
        // Best effort: the session is over here, whether or not the server can be told.
        let hint: TokenTypeHint = credential.refreshToken == nil ? .accessToken : .refreshToken
        try? await tokens.relyingParty.revoke(credential.refreshToken ?? credential.accessToken, hint: hint)
    }

    // MARK: The three ways to sign in

    private func signInNatively(
        _ tokens: TokenService, redirectURI: URL, scopes: [String], prompter: any FlowPrompter
    ) async throws -> AccountID {
        try await IAMError.translating {
            let party = try await tokens.relyingParty
            let request = try party.authorizationRequest(redirectURI: redirectURI, scopes: scopes)
            let authorization = try await tokens.openAuthorization(request, at: party.url(for: request))
            let firstStep = try await flows.open(executionID: authorization.executionID)
            let assertion = try await FlowSignIn(api: flows, prompter: prompter, providerName: name).finish(firstStep)
            let callback = try await flows.finishAuthorization(authID: authorization.authID, assertion: assertion)
            return try await begin(await party.redeem(callback, for: request.pending), clientID: party.client.id)
        }
    }

    private func signInNatively(applicationID: String, prompter: any FlowPrompter) async throws -> AccountID {
        let firstStep = try await flows.initiate(applicationID: applicationID)
        let assertion = try await FlowSignIn(api: flows, prompter: prompter, providerName: name).finish(firstStep)
        let now = environment.time.now
        let claims = try? JSONWebToken(assertion)
        return try await begin(
            Credential(
                accessToken: assertion, issuedAt: now, expiresAt: claims?.lifetime.map { now + $0.timeInterval },
                signedInAt: now, backend: settings.baseURL.description),
            subject: claims?.subject)
    }

    private func signIn(
        _ tokens: TokenService, redirectURI: URL, scopes: [String], browser: any WebAuthenticator
    ) async throws -> AccountID {
        try await IAMError.translating {
            let party = try await tokens.relyingParty
            let request = try party.authorizationRequest(redirectURI: redirectURI, scopes: scopes)
            let callback = try await browser.authenticate(at: party.url(for: request), redirectURI: redirectURI)
            return try await begin(await party.redeem(callback, for: request.pending), clientID: party.client.id)
        }
    }

    // MARK: Sessions

    private func begin(_ tokens: TokenSet, clientID: String) async throws -> AccountID {
        let credential = tokens.credential(backend: settings.baseURL.description, clientID: clientID)
        if let idToken = tokens.idToken { return try await begin(credential, subject: idToken.subject) }
        // Without the scope `openid` there is no ID token, and the access token came straight from the server.
        return try await begin(credential, subject: (try? JSONWebToken(credential.accessToken))?.subject)
    }

    private func begin(_ credential: Credential, subject: String?) async throws -> AccountID {
        guard let subject, !subject.isEmpty else {
            throw IAMError(.serverError, "The server did not say who signed in. Try again later.")
        }
        let account = AccountID(account: subject, realm: name)
        try await sessions.begin(credential, for: account)
        return account
    }

    private static func renew(_ credential: Credential, tokens: TokenService?) async throws -> RenewalAnswer {
        guard let tokens, let refreshToken = credential.refreshToken else {
            return .refused(reason: "It cannot be renewed.")
        }
        let party: RelyingParty
        do {
            // Before the token is sent: what fails here leaves it unspent.
            party = try await tokens.relyingParty
        } catch {
            return .unspent(IAMError.translated(error))
        }
        do {
            let renewed = try await party.refresh(refreshToken, previousIDToken: credential.idToken)
            return .renewed(renewed.renewing(credential))
        } catch let error as OAuthError where error.failureClass == .definitive {
            switch error {
            case .refused(let refusal) where refusal.error == .invalidGrant:
                return .refused(reason: "The server no longer accepts it.")
            case .invalidIDToken, .invalidToken:
                // The refresh token is spent, and the answer that replaces it must not be believed.
                return .refused(reason: error.message)
            case _ where error.leavesRefreshTokenUnspent:
                return .unspent(IAMError(error))
            default:
                throw IAMError(error)
            }
        } catch let error where error.leavesRefreshTokenUnspent {
            return .unspent(IAMError.translated(error))
        } catch {
            throw IAMError.translated(error)
        }
    }
}
