import Foundation
import IdentityKit
import IdentityOAuth

extension ThunderIDClient {
    /// Returns whether a person is signed in: the session has not ended, and has a refresh token or an access token
    /// that has not expired. No request is sent.
    /// - Throws: ``IAMError`` if the storage cannot be read, which does not mean a sign-out; `CancellationError` when
    ///   the task is cancelled.
    public func isSignedIn(sessionId: String? = nil) async throws -> Bool {
        try await perform { try await $0.liveCredential(of: $0.account(sessionId)) != nil }
    }

    /// Returns the time at which the session ends. A refresh does not postpone it, because the server limits the time from
    /// the sign-in to the end, by default to a day. Ask the person to sign in again at a convenient moment before the end.
    /// - Returns: `nil` without a session, or if the end is unknown.
    /// - Throws: ``IAMError`` if the storage cannot be read, or `CancellationError`.
    public func sessionEnd(sessionId: String? = nil) async throws -> Date? {
        try await perform { try await $0.liveCredential(of: $0.account(sessionId))?.sessionEndsAt }
    }

    /// Ends the session in the storage, then revokes its tokens at the server. With ``SignOutOptions/idTokenHint`` the
    /// server's sign-out flow runs too. Without a `sessionId`, the call ends all sessions of a ``ThunderIDProvider``
    /// for this server and client in the same store.
    ///
    /// To end the session in the person's browser as well, open ``signOutURL(sessionId:)``. The server's own APIs, such
    /// as `/users/me`, may accept a revoked access token for another minute. An assertion is not revoked: the server
    /// accepts it until it expires.
    /// - Returns: ``ThunderIDConfig/afterSignOutUrl``, or `/` if it is missing or empty.
    /// - Throws: ``IAMError`` if the session cannot be ended in the storage, or `CancellationError`. A failure at the
    ///   server is thrown only with ``SignOutOptions/requiresRevocation``.
    @discardableResult
    public func signOut(options: SignOutOptions? = nil, sessionId: String? = nil) async throws -> String {
        try await signOut(options: options, sessionId: sessionId) {}
    }

    /// Signs out as ``signOut(options:sessionId:)`` does. Calls `onceOver` after the session has ended in the storage,
    /// and before any request to the server.
    package func signOut(
        options: SignOutOptions? = nil, sessionId: String? = nil, onceOver: @Sendable () async -> Void
    ) async throws -> String {
        try await performLoading { try await $0.signOut(options, of: sessionId, onceOver: onceOver) }
    }

    /// Returns the address that ends the server's session in the browser where the person signed in. Get the address
    /// before ``signOut(options:sessionId:)``, because it contains the session's ID token. Open it after the sign-out.
    /// - Returns: `nil` if the server has no such address.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if `clientId` is missing, or with the code for an error of the
    ///   server's discovery or the storage; or `CancellationError`.
    public func signOutURL(sessionId: String? = nil) async throws -> URL? {
        try await perform { try await $0.signOutURL(of: $0.account(sessionId)) }
    }

    /// Ends the session at once, without a request to the server. This client no longer uses the session, and erases it in the
    /// storage afterwards. If erasing fails, later calls with this `sessionId` try again, and throw as long as it fails. Does
    /// nothing before ``initialize(config:storage:)``.
    public func clearSession(sessionId: String? = nil) {
        guard let engine = try? engine() else { return }
        engine.clear(sessionId)
    }

    /// Returns a valid access token, refreshed if necessary. Concurrent callers share one refresh.
    ///
    /// If the session consists of a native flow's assertion (``ThunderIDConfig/nativeSession``), the token is that
    /// assertion, which ThunderID's own APIs accept.
    /// - Throws: ``IAMError`` with `sessionExpired` if the person has to sign in, or with another code if the refresh
    ///   or the storage fails, such as `networkError`; or `CancellationError`.
    public func getAccessToken(sessionId: String? = nil) async throws -> String {
        try await perform { try await $0.credential(of: $0.account(sessionId)).accessToken.reveal() }
    }

    /// Returns a valid access token other than `rejectedToken`, which an API has just refused with status 401.
    /// - Throws: as ``getAccessToken(sessionId:)``.
    public func getAccessToken(replacing rejectedToken: String, sessionId: String? = nil) async throws -> String {
        try await perform { engine in
            try await engine.credential(of: engine.account(sessionId), replacing: rejectedToken).accessToken.reveal()
        }
    }

    /// Returns `request` with the session's token, and with a DPoP proof if the token is bound to a key
    /// (``ThunderIDConfig/bindsTokens``). Send the returned request unchanged and only once, because a proof is valid for one
    /// request with this method and address.
    /// - Throws: ``IAMError`` with `invalidInput` for plain HTTP to another machine, otherwise as
    ///   ``getAccessToken(sessionId:)``.
    public func authorized(_ request: URLRequest, sessionId: String? = nil) async throws -> URLRequest {
        try await perform { try await $0.authorized(request, as: $0.account(sessionId)) }
    }

    /// Returns a request that replaces one from ``authorized(_:sessionId:)`` after a server refused it with status 401.
    /// The new request has the proof that the server demands, such as a proof with the server's nonce (RFC 9449 section
    /// 9), or another token.
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - response: the refusal; `nil` to try only another token.
    ///   - sessionId: the session; `nil` for the session without a name.
    /// - Returns: `nil` if neither another proof nor another token is available. The refusal is final then.
    /// - Throws: as ``authorized(_:sessionId:)``.
    public func reauthorized(
        _ request: URLRequest, after response: HTTPURLResponse? = nil, sessionId: String? = nil
    ) async throws -> URLRequest? {
        try await perform { try await $0.reauthorized(request, after: response, as: $0.account(sessionId)) }
    }

    /// Decodes the claims of a JWT without verifying it.
    /// - Throws: ``IAMError`` with `invalidInput` if `token` is not a JWT or its claims do not decode to `R`.
    public func decodeJwtToken<R: Decodable>(_ token: String) throws -> R {
        do {
            let claims = try JSONWebToken(Secret(token)).message.payload
            return try JSONDecoder().decode(R.self, from: claims)
        } catch {
            throw IAMError(.invalidInput, "This is no JSON Web Token with such claims.")
        }
    }

    /// Exchanges a token for another token (RFC 8693). The session stays unchanged. The session's own refresh token is
    /// never sent while a refresh is running. If the outcome of an earlier request with this refresh token is unknown,
    /// the call throws until the access token has expired.
    /// - Parameters:
    ///   - config: the request. If ``TokenExchangeRequestConfig/subjectToken`` is empty, the client sends a token of the
    ///     session: the refresh token if ``TokenExchangeRequestConfig/subjectTokenType`` is the type of refresh tokens, or else
    ///     the access token or assertion.
    ///   - sessionId: the session; `nil` for the session without a name.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if `clientId` is missing, `sessionExpired` if the session's token
    ///   is needed and there is none, `invalidGrant` if the server does not accept the token, or the code for another
    ///   failure; or `CancellationError`.
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
        // The server uses this code for a token that is wrong, expired, or of another type than declared.
        return IAMError(
            .invalidGrant, "The server does not accept the token, or it is of another type than was said.",
            serverCode: refusal.error.rawValue)
    }
}
