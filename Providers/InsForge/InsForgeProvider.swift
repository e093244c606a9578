import Foundation
import IdentityKit
import OAuthKit

/// An InsForge project as an identity provider.
///
/// Sessions live in the shared store and are renewed there. InsForge keeps no session on its side: signing out ends it
/// here and drops the tokens, which stay valid at the server until they expire.
public final class InsForgeProvider: SessionBackedProvider {
    private let settings: InsForgeSettings
    private let name: String
    private let environment: IdentityEnvironment
    private let api: InsForgeAPI
    /// The sessions in the shared store.
    public let sessions: ProviderSessions

    /// Opens a provider. Nothing is requested.
    public init(settings: InsForgeSettings, context: ProviderContext) {
        self.settings = settings
        name = context.name
        environment = context.environment
        let api = InsForgeAPI(
            baseURL: settings.baseURL, anonKey: settings.anonKey, transport: context.environment.transport)
        self.api = api
        let time = context.environment.time
        sessions = ProviderSessions(
            realm: context.name, backend: settings.baseURL.description, store: context.environment.store, time: time,
            // Its refresh tokens are not used up (InsForge, refresh).
            replay: .always, monitor: context.environment.renewals
        ) { credential in
            try await Self.renew(credential, api: api, time: time)
        }
    }

    // MARK: SessionBackedProvider

    /// Signs in by the configured method; `nil` when there is nobody to ask or no browser to open.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError` when the user gives up.
    public func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        switch settings.method {
        case .password:
            guard let prompter = environment.prompter else { return nil }
            let answer = try await PasswordSignIn(api: api, prompter: prompter, providerName: name).signIn()
            return try await begin(answer)
        case .oauth(let provider):
            guard environment.webAuthenticator != nil, settings.redirectURI != nil else { return nil }
            return try await signIn(with: provider)
        }
    }

    /// InsForge has no scopes to consent to, so a live session is all the authorization there is.
    /// - Returns: `nil`, always.
    /// - Throws: ``SessionError`` when there is no session.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await sessions.credential(for: accountID, scopes: [])
        return nil
    }

    /// Ends the session here and tells the server, which forgets nothing but may one day.
    /// - Throws: ``TokenStoreError``.
    public func signOut(_ accountID: AccountID) async throws {
        guard try await sessions.end(accountID) != nil else { return }
        try? await api.logOut()
    }

    // MARK: Signing up and in by code

    /// Creates an account. The user is signed in at once when the project asks for no verification.
    /// - Throws: ``InsForgeAuthError``.
    public func signUp(email: String, password: String, name: String? = nil) async throws -> SignUpResponse {
        let response = try await api.signUp(email: email, password: Secret(password), name: name)
        if let user = response.user, let accessToken = response.accessToken {
            let refreshToken = response.refreshToken.map { Secret($0) }
            try await begin(
                SessionAnswer(user: user, accessToken: Secret(accessToken), refreshToken: refreshToken))
        }
        return response
    }

    /// Signs in with e-mail address and password.
    /// - Throws: ``InsForgeAuthError``.
    @discardableResult
    public func signIn(email: String, password: String) async throws -> AccountID {
        try await begin(await api.signIn(email: email, password: Secret(password)))
    }

    /// Opens the page of an OAuth provider and signs in with what comes back.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError` when the user closes the page.
    @discardableResult
    public func signIn(with provider: OAuthProvider) async throws -> AccountID {
        guard let webAuthenticator = environment.webAuthenticator else {
            throw InsForgeAuthError.notConfigured("There is no browser to open the sign-in page with.")
        }
        guard let redirectURI = settings.redirectURI else {
            throw InsForgeAuthError.notConfigured("Set redirectURI, where the sign-in page returns to.")
        }
        let signIn = OAuthSignIn(api: api, webAuthenticator: webAuthenticator, random: environment.random)
        return try await begin(await signIn.signIn(with: provider, redirectURI: redirectURI))
    }

    // MARK: Sessions

    /// Where a credential remembers whose it is, so that a renewal cannot turn it into another person's.
    private static let userID = "userID"

    @discardableResult
    private func begin(_ answer: SessionAnswer) async throws -> AccountID {
        let now = environment.time.now
        let account = AccountID(account: answer.user.id, realm: name)
        let credential = Credential(
            accessToken: answer.accessToken, refreshToken: answer.refreshToken, issuedAt: now,
            expiresAt: Self.expiry(of: answer.accessToken, receivedAt: now), signedInAt: now,
            backend: settings.baseURL.description, details: [Self.userID: .string(answer.user.id)])
        try await sessions.begin(credential, for: account)
        return account
    }

    private static func renew(
        _ credential: Credential, api: InsForgeAPI, time: TimeSource
    ) async throws -> RenewalAnswer {
        guard let refreshToken = credential.refreshToken else {
            return .refused(reason: "There is no refresh token.")
        }
        do {
            let answer = try await api.refresh(refreshToken)
            guard credential.details[userID]?.stringValue ?? answer.user.id == answer.user.id else {
                return .refused(reason: "The server answered for somebody else.")
            }
            let now = time.now
            var renewed = credential
            renewed.accessToken = answer.accessToken
            renewed.refreshToken = answer.refreshToken ?? refreshToken
            renewed.issuedAt = now
            renewed.expiresAt = expiry(of: answer.accessToken, receivedAt: now)
            return .renewed(renewed)
        } catch InsForgeAuthError.sessionExpired {
            return .refused(reason: InsForgeAuthError.sessionExpired.message)
        }
    }

    /// When a token expires on this machine's clock: its own lifetime from now, whatever time the server thinks it is.
    private static func expiry(of token: Secret, receivedAt now: Date) -> Date? {
        (try? JSONWebToken(token))?.lifetime.map { now + $0.timeInterval }
    }
}
