import Foundation
import IdentityKit
import IdentityOAuth
import IdentityOAuthProviders

/// An OpenID Connect server whose people sign in through the routes of this web server, in browsers of their own.
///
/// It keeps nothing of a sign-in that has begun: the caller does, for the browser in which it began. Any machine of the fleet
/// can finish what another one has begun.
final class WebSignIn: SessionBackedProvider {
    private let settings: OpenIDConnectSettings
    private let redirectURI: URL
    private let provider: OAuthSessionProvider
    private let connection: OAuthConnection

    var sessions: ProviderSessions { provider.sessions }

    init(settings: OpenIDConnectSettings, redirectURI: URL, context: ProviderContext) {
        self.settings = settings
        self.redirectURI = redirectURI
        provider = OAuthSessionProvider(settings.server, context: context)
        connection = OAuthConnection(settings.server, in: context.environment)
    }

    // snippet: a-sign-in-on-the-web
    /// Where the browser goes, and what has to be kept for it until it comes back.
    func begin() async throws -> (page: URL, pending: PendingAuthorization) {
        let party = try await connection.relyingParty
        var request = try party.authorizationRequest(redirectURI: redirectURI, scopes: settings.scopes)
        // Without consent the server need not give a refresh token (OpenID Connect Core section 11).
        request.prompt = [.consent]
        return (try await party.url(for: request), request.pending)
    }

    /// Exchanges the code for tokens, and stores them as the session of whoever signed in.
    /// - Parameter query: that of the callback. On which machine and port it arrived does not matter.
    func finish(_ pending: PendingAuthorization, query: String) async throws -> AccountID {
        var callback = URLComponents(url: redirectURI, resolvingAgainstBaseURL: false)
        callback?.percentEncodedQuery = query
        let tokens = try await connection.relyingParty.redeem(callback?.url ?? redirectURI, for: pending)
        guard let person = tokens.idToken?.person else { throw OAuthError.invalidIDToken(.missing) }
        let account = AccountID(account: person, realm: sessions.realm)
        try await sessions.begin(
            tokens.credential(backend: settings.issuer, clientID: settings.clientID), for: account)
        return account
    }
    // end snippet

    // MARK: SessionProvider

    /// `nil`: nobody sits at this machine.
    func signIn(in context: CallerContext) async throws -> AccountID? { nil }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await provider.requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    func signOut(_ accountID: AccountID) async throws {
        try await provider.signOut(accountID)
    }
}

/// `openid-connect` in the configuration of this program.
enum WebSignInPlugin: ProviderPlugin {
    static let type = OpenIDConnectPlugin.type

    /// The settings that ``WebSignIn`` obeys. Every other one is refused, because a setting without an effect misleads.
    struct Settings: Decodable, Sendable {
        let issuer: String
        let clientID: String
        let clientSecret: String?
        let redirectURI: URL
        let scopes: [String]?
        let allowsLoopbackHTTP: Bool?
    }

    static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
        let server = OpenIDConnectSettings(
            issuer: settings.issuer, clientID: settings.clientID,
            authentication: settings.clientSecret.map { .clientSecretBasic(Secret($0)) } ?? .none,
            scopes: settings.scopes ?? OpenIDConnectSettings.defaultScopes, redirectURI: settings.redirectURI,
            transportSecurity: settings.allowsLoopbackHTTP == true ? .loopbackHTTPAllowed : .httpsOnly)
        return WebSignIn(settings: server, redirectURI: settings.redirectURI, context: context)
    }
}
