import Foundation
import IdentityKit
import OAuthKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Any server that conforms to OpenID Connect as an identity provider: found by its issuer identifier, configured by
/// little else.
public final class OpenIDConnectProvider: SessionBackedProvider, TokenPresenting {
    private let settings: OpenIDConnectSettings
    let oauth: OAuthSessionProvider

    /// The sessions in the shared store.
    public var sessions: ProviderSessions { oauth.sessions }
    package var presentation: TokenPresentation { oauth.presentation }

    /// Opens a provider. Nothing is requested.
    public init(settings: OpenIDConnectSettings, context: ProviderContext) {
        self.settings = settings
        oauth = OAuthSessionProvider(settings.server, context: context)
    }

    // MARK: SessionBackedProvider

    /// Signs in by the configured method; `nil` when there is no browser, or nothing to show a device code with.
    /// - Throws: ``/OAuthKit/OAuthError``, or `CancellationError` when the user gives up.
    public func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        try await oauth.signIn(scopes: scopes, deviceToken: deviceToken)
    }

    /// Makes sure that the session carries `scopes`; asks the server for those it lacks (incremental consent).
    /// - Returns: `nil`; the protocol knows no challenge.
    /// - Throws: ``/IdentityKit/SessionError/insufficientScope(_:missing:)`` when they are not granted or no sign-in can
    ///   be shown; ``/OAuthKit/OAuthError``, with `id_token_sub_mismatch` when another person signed in, whose tokens are
    ///   dropped.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await oauth.requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    /// Gets what a resource asks for: scopes that the session lacks (RFC 6750 section 3.1), or a stronger or more recent
    /// sign-in (RFC 9470).
    /// - Throws: ``/OAuthKit/OAuthError``, also when another person signed in, or `CancellationError` when the user gives
    ///   up.
    public func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, deviceToken: String
    ) async throws -> Bool {
        try await oauth.requestAuthorization(for: accountID, askedBy: response, deviceToken: deviceToken)
    }

    /// Ends the session here, revokes its tokens, and ends the server's session in the browser where a
    /// `postLogoutRedirectURI` is configured.
    /// - Throws: ``/IdentityKit/TokenStoreError``. A failed revocation is no error: the environment's
    ///   ``/IdentityKit/RefreshMonitor`` reports it.
    public func signOut(_ accountID: AccountID) async throws {
        try await oauth.signOut(accountID)
    }

    // MARK: Beyond the protocol

    /// Finishes a sign-in whose app was restarted while the person was in the browser.
    /// - Parameter callback: the URL the app was opened with.
    /// - Throws: ``/OAuthKit/OAuthError`` with `callback_unknown_flow` when no sign-in waits for it.
    @discardableResult
    public func finishSignIn(_ callback: URL) async throws -> AccountID {
        try await oauth.finishSignIn(callback)
    }

    /// What the server tells about the person (OpenID Connect Core section 5.3). A token that it no longer accepts is
    /// replaced once.
    /// - Throws: ``/IdentityKit/SessionError``, ``/OAuthKit/OAuthError``.
    public func userInfo(for accountID: AccountID) async throws -> UserInfo {
        try await retryingRefusal { (refused: Credential?) in
            try await sessions.credential(
                for: accountID, scopes: ["openid"], replacing: refused?.accessToken.reveal())
        } _: { credential in
            try await oauth.relyingParty(of: credential).userInfo(
                credential, of: accountID.account, dpop: presentation.prover(for: credential))
        }
    }
}

extension OpenIDConnectSettings {
    /// The server as the engine takes it.
    fileprivate var server: OAuthServer {
        var server = OAuthServer(
            type: OpenIDConnectPlugin.type, issuer: issuer,
            client: OAuthClient(id: clientID, authentication: authentication, transportSecurity: transportSecurity),
            tenants: tenants, replacing: endpoints)
        server.scopes = scopes
        server.method = method
        server.redirectURI = redirectURI
        server.postLogoutRedirectURI = postLogoutRedirectURI
        server.prompt = prompt(for:)
        server.options = options
        server.authorizationParameters = authorizationParameters.fields
        server.tokenParameters = tokenParameters.fields
        server.pushesAuthorizationRequests = pushesAuthorizationRequests
        server.signsAuthorizationRequests = signsAuthorizationRequests
        server.bindsTokens = bindsTokens
        server.registration = registration
        return server
    }
}

extension OpenIDConnectProvider: CustomReflectable {
    /// Shows the settings, without their secrets.
    public var customMirror: Mirror { Mirror(self, showing: ["settings": settings]) }
}
