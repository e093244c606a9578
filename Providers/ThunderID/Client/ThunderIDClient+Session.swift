import Foundation
import IdentityKit
import IdentityOAuth

extension ThunderIDClient {
    /// Whether a person is signed in: there is an access token that is valid, or something to refresh it with. No request
    /// is made.
    /// - Throws: ``IAMError`` when the storage cannot be read: that is no sign-out.
    public func isSignedIn(sessionId: String? = nil) async throws -> Bool {
        try await perform { try await $0.liveCredential(of: $0.account(sessionId)) != nil }
    }

    /// When the session ends whatever is done: the server gives a sign-in a fixed time, a day by default, and
    /// refreshing does not prolong it. Ask the person to sign in again at a moment that suits them.
    /// - Returns: `nil` without a session, or when it is not known.
    /// - Throws: ``IAMError`` when the storage cannot be read.
    public func sessionEnd(sessionId: String? = nil) async throws -> Date? {
        try await perform { try await $0.liveCredential(of: $0.account(sessionId))?.sessionEndsAt }
    }

    /// Ends the session here, then revokes its tokens at the server. With ``SignOutOptions/idTokenHint`` the server's
    /// sign-out flow runs too.
    ///
    /// ``signOutURL(sessionId:)`` ends the session in the person's browser. The server's own APIs, such as `/users/me`,
    /// may accept the access token or assertion for another minute. An assertion without a `clientId` cannot be
    /// revoked; it expires.
    /// - Returns: ``ThunderIDConfig/afterSignOutUrl``, or `/` without one.
    /// - Throws: ``IAMError`` when the session here could not be ended. A server that cannot be reached is an error only
    ///   with ``SignOutOptions/requiresRevocation``.
    @discardableResult
    public func signOut(options: SignOutOptions? = nil, sessionId: String? = nil) async throws -> String {
        try await signOut(options: options, sessionId: sessionId) {}
    }

    /// ``signOut(options:sessionId:)``. `onceOver` is called as soon as the session is over here.
    package func signOut(
        options: SignOutOptions? = nil, sessionId: String? = nil, onceOver: @Sendable () async -> Void
    ) async throws -> String {
        try await performLoading { try await $0.signOut(options, of: sessionId, onceOver: onceOver) }
    }

    /// The address that ends the server's session in the browser where the person signed in; make it before
    /// ``signOut(options:sessionId:)``, open it after.
    /// - Returns: `nil` when the server knows no such address.
    /// - Throws: ``IAMError``.
    public func signOutURL(sessionId: String? = nil) async throws -> URL? {
        try await perform { try await $0.signOutURL(of: $0.account(sessionId)) }
    }

    /// Ends the session here, at once for this client, without a request. When the storage cannot erase the session,
    /// every later call for it fails until it can.
    public func clearSession(sessionId: String? = nil) {
        guard let engine = try? engine() else { return }
        engine.clear(sessionId)
    }

    /// A valid access token, refreshed when it has to be. Concurrent callers share one refresh.
    ///
    /// After a native sign-in without a `clientId` this is the flow's assertion: good at ThunderID's own APIs.
    /// - Throws: ``IAMError`` with `sessionExpired` without a session, or when it is over.
    public func getAccessToken(sessionId: String? = nil) async throws -> String {
        try await perform { try await $0.credential(of: $0.account(sessionId)).accessToken.reveal() }
    }

    /// A valid access token other than `rejectedToken`, which an API has just refused with status 401.
    /// - Throws: as ``getAccessToken(sessionId:)``.
    public func getAccessToken(replacing rejectedToken: String, sessionId: String? = nil) async throws -> String {
        try await perform { engine in
            try await engine.credential(of: engine.account(sessionId), replacing: rejectedToken).accessToken.reveal()
        }
    }

    /// `request` with the session's token, and a proof of the key it is bound to where it is bound
    /// (``ThunderIDConfig/bindsTokens``). Send it as it is: the proof is for this method and address, once.
    /// - Throws: ``IAMError`` with `invalidInput` for plain HTTP to another machine, otherwise as
    ///   ``getAccessToken(sessionId:)``.
    public func authorized(_ request: URLRequest, sessionId: String? = nil) async throws -> URLRequest {
        try await perform { try await $0.authorized(request, as: $0.account(sessionId)) }
    }

    /// `request`, which ``authorized(_:sessionId:)`` made and a server refused with status 401, once more: with the proof
    /// that the server asks for, such as one with its nonce (RFC 9449 section 9), or with another token.
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - response: the refusal; without it only another token can be tried.
    ///   - sessionId: which session; `nil` for the client's one.
    /// - Returns: `nil` when there is nothing else to try; then the refusal stands.
    /// - Throws: as ``getAccessToken(sessionId:)``.
    public func reauthorized(
        _ request: URLRequest, after response: HTTPURLResponse? = nil, sessionId: String? = nil
    ) async throws -> URLRequest? {
        try await perform { try await $0.reauthorized(request, after: response, as: $0.account(sessionId)) }
    }

    /// Reads the claims of a JWT. Nothing is verified.
    /// - Throws: ``IAMError`` with `invalidInput` when `token` is no JWT or its claims are not an `R`.
    public func decodeJwtToken<R: Decodable>(_ token: String) throws -> R {
        do {
            let claims = try JSONWebToken(Secret(token)).message.payload
            return try JSONDecoder().decode(R.self, from: claims)
        } catch {
            throw IAMError(.invalidInput, "This is no JSON Web Token with such claims.")
        }
    }

    /// Exchanges a token for another one (RFC 8693). The session stays as it is. Its refresh token is sent as in a refresh: not
    /// beside one, and not again while it is unknown whether it has arrived.
    /// - Parameters:
    ///   - config: what is exchanged. An empty subject token is the session's access token, or its assertion, or with the type of
    ///     a refresh token its refresh token.
    ///   - sessionId: the session.
    /// - Throws: ``IAMError`` with `invalidConfiguration` without `clientId`, or what the server says.
    public func exchangeToken(
        config: TokenExchangeRequestConfig, sessionId: String? = nil
    ) async throws -> TokenResponse {
        try await perform { try await $0.exchange(config, $0.account(sessionId)) }
    }
}

extension ClientEngine {
    fileprivate func exchange(
        _ config: TokenExchangeRequestConfig, _ account: AccountID
    ) async throws -> TokenResponse {
        let tokens = try requireTokens()
        var (subject, type) = (Secret(config.subjectToken), TokenTypeIdentifier(rawValue: config.subjectTokenType))
        let stored = type == .refreshToken ? try await sessions.storedCredential(of: account)?.refreshToken : nil
        if type == .refreshToken, subject.isEmpty || subject == stored {
            let response: TokenEndpointResponse = try await sessions.spendingRefreshToken(of: account) {
                credential, context in
                guard let refreshToken = credential.refreshToken else { throw SessionError.cannotRefresh(account) }
                let party = try await context.preparing { try await tokens.connection.party(of: credential) }
                do {
                    let grant = try Self.grant(config, for: refreshToken, .refreshToken)
                    return .success(try await party.exchange(grant, using: context.spending).response)
                } catch OAuthError.refused(let refusal) where refusal.status.map({ (400..<500).contains($0) }) ?? false
                {
                    return .failure(Self.error(of: refusal))
                }
            }
            return TokenResponse(response)
        }
        var party = try await tokens.connection.party(of: nil as Credential?)
        if subject.isEmpty {
            let credential = try await credential(of: account)
            (subject, type) = (credential.accessToken, credential.isAssertion ? .jwt : .accessToken)
            if !credential.isAssertion { party = try await tokens.connection.party(of: credential) }
        }
        let grant = try Self.grant(config, for: subject, type)
        do {
            return TokenResponse(try await party.exchange(grant).response)
        } catch OAuthError.refused(let refusal) {
            throw Self.error(of: refusal)
        }
    }

    private static func grant(
        _ config: TokenExchangeRequestConfig, for subject: Secret, _ type: TokenTypeIdentifier
    ) throws -> TokenGrant {
        let actor = config.actorToken.map {
            (token: Secret($0), type: config.actorTokenType.map(TokenTypeIdentifier.init(rawValue:)) ?? .accessToken)
        }
        return try .tokenExchange(
            subjectToken: subject, subjectTokenType: type, actorToken: actor,
            requestedTokenType: config.requestedTokenType.map(TokenTypeIdentifier.init(rawValue:)),
            audiences: config.audience.map { [$0] } ?? [], resources: config.resource.map { [$0] } ?? [],
            scopes: config.scopes)
    }

    private static func error(of refusal: ErrorResponse) -> any Error {
        guard refusal.error == .invalidRequest else { return OAuthError.refused(refusal) }
        // The server's code for a token that is wrong, expired, or of another type than was said.
        return IAMError(
            .invalidGrant, "The server does not accept the token, or it is of another type than was said.",
            serverCode: refusal.error.rawValue)
    }
}
