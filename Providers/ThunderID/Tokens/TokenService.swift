import Foundation
import IdentityKit
import IdentityOAuth

/// The OAuth client at a ThunderID server, for sign-ins, refreshes, revocations and token exchanges.
final class TokenService: Sendable {
    let environment: IdentityEnvironment
    let oauth: OAuthServer
    let connection: OAuthConnection

    init(
        server: ServerAPI, client: OAuthClient, pushesAuthorizationRequests: Bool?, bindsTokens: Bool,
        clockTolerance: Duration = .seconds(60), environment: IdentityEnvironment
    ) {
        var oauth = OAuthServer(
            type: ThunderIDPlugin.type, backend: server.baseURL.description, client: client, account: .idToken
        ) { _ in DiscoveredServer(try await server.metadata(client.transportSecurity)) }
        oauth.pushesAuthorizationRequests = pushesAuthorizationRequests
        oauth.bindsTokens = bindsTokens
        oauth.clockTolerance = clockTolerance
        self.environment = environment
        self.oauth = oauth
        connection = OAuthConnection(oauth, in: environment)
    }

    /// Returns the address to open in a browser. The request may be pushed to the server first (RFC 9126).
    ///
    /// The setting `pushesAuthorizationRequests` decides whether it is pushed. If the setting is `nil`, the address decides:
    ///
    /// - The server's authorization endpoint: the request is pushed if the server has an endpoint for pushed requests.
    /// - An app's own page, which reads the parameters from its address: the request is pushed only if the server requires it.
    /// - Throws: ``IAMError`` if the discovery fails; ``OAuthError``; otherwise what the transport and the store throw.
    func url(for request: AuthorizationRequest) async throws -> URL {
        let party = try await connection.party(of: request.pending)
        let isOwnPage = request.authorizationEndpoint != party.metadata.authorizationEndpoint
        return try await party.url(
            for: request, pushed: oauth.pushesAuthorizationRequests ?? (isOwnPage ? false : nil))
    }

    /// Starts an authorization request without a browser. The server starts a flow and redirects to its sign-in page. The
    /// page's address contains the identifier of this run of the flow, so that the app can continue the flow itself.
    /// - Throws: ``IAMError`` if the discovery fails, or if the server does not redirect or refuses the client or
    ///   redirect URI; ``OAuthError`` for an error response; otherwise what the transport and the store throw.
    func open(_ request: AuthorizationRequest) async throws -> NativeAuthorization {
        let url = try await url(for: request)
        let (_, response) = try await environment.transport.data(for: URLRequest(url: url))
        guard (300..<400).contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"),
            let page = URL(string: location, relativeTo: request.authorizationEndpoint)?.absoluteURL
        else {
            guard [408, 425, 429].contains(response.statusCode) || response.statusCode >= 500 else {
                throw ServerAPI.noServer(response)
            }
            throw IAMError(.serverError, "The server did not start the sign-in. Try again later.")
        }
        switch try NativeAuthorization.reading(page, for: request, at: environment.time.now) {
        case .opened(let authorization): return authorization
        case .untrusted(let detail): throw await reason(forDistrusting: request, detail)
        }
    }

    /// Returns the error for a redirect to the server's own error page. The page shows the same error code for an
    /// unknown client and for an unregistered redirect URI. Pushing the request distinguishes the two: the server
    /// responds with `invalid_client` to an unknown client, and with `invalid_request` to an unregistered redirect URI.
    private func reason(forDistrusting request: AuthorizationRequest, _ detail: String?) async -> IAMError {
        do {
            _ = try await connection.party(of: request.pending).url(for: request, pushed: true)
        } catch OAuthError.refused(let refusal) where refusal.error == .invalidRequest {
            return IAMError(
                .invalidRedirectUri,
                request.redirectURI.map {
                    "The server does not know this redirect URI for the client. Register \($0)."
                }
                    ?? "The client has more than one redirect URI, or none. Name one of them.")
        } catch OAuthError.refused(let refusal) where refusal.error == .invalidClient {
            return IAMError(.invalidConfiguration, "The server does not know this client. Check clientID.")
        } catch {
            // The pushed request shows no more specific reason, so report the detail from the error page.
        }
        guard let detail else {
            return IAMError(.serverError, "The server did not start the sign-in. Try again later.")
        }
        return IAMError(.invalidConfiguration, "The server refused the authorization request: \(detail).")
    }

    func credential(_ tokens: TokenSet) -> Credential {
        var credential = tokens.credential(backend: oauth.backend, clientID: oauth.client.id)
        credential.sessionEndsAt = Self.end(of: credential)
        // Without the scope `openid` there is no ID token. The access token can be trusted without verification, because it
        // came directly from the server.
        let subject = tokens.idToken?.subject ?? (try? JSONWebToken(credential.accessToken))?.subject
        credential.details[SessionDetail.subject] = subject.map(JSONValue.string)
        credential.profile = AccountProfile(attributes: credential.toldClaims)
        return credential
    }

    /// Returns the end of the session. The session ends when the refresh token expires, because every later refresh
    /// token has the same expiry. Without a refresh token, the session ends with the access token.
    ///
    /// The session's remaining time is computed from the times in the tokens, which are by the server's clock. The
    /// result is `nil` if a time is missing, or if this machine's clock differs from the server's by
    /// ``largestKnownError`` or more. With such a difference, the end would be wrong once the clock is corrected.
    private static func end(of credential: Credential) -> Date? {
        guard let refreshToken = credential.refreshToken else { return credential.expiresAt }
        let tokens = [refreshToken, credential.accessToken].compactMap { try? JSONWebToken($0) }
        guard let end = (try? JSONWebToken(refreshToken))?.expiresAt,
            let respondedAt = tokens.compactMap(\.issuedAt).max(), end > respondedAt,
            abs(respondedAt.timeIntervalSince(credential.issuedAt)) < largestKnownError
        else { return nil }
        return credential.issuedAt + end.timeIntervalSince(respondedAt)
    }

    /// The difference to the server's clock, in seconds, at which this machine's clock counts as wrong.
    private static let largestKnownError: TimeInterval = 300

    /// Revokes a session's tokens. One request is enough, because the server revokes all tokens of a session together.
    /// - Throws: ``IAMError`` if the discovery fails; ``OAuthError``; otherwise what the transport and the store throw.
    func revoke(_ credential: Credential) async throws {
        let hint: TokenTypeHint = credential.refreshToken == nil ? .accessToken : .refreshToken
        try await connection.relyingParty.revoke(credential.refreshToken ?? credential.accessToken, hint: hint)
    }

    func refresh(_ credential: Credential, in context: RefreshContext) async throws -> RefreshResult {
        let result = try await connection.refresh(
            credential, in: context, translating: { IAMError.translated($0) })
        switch result {
        case .refreshed(var refreshed, let dropped, let faults):
            // Compute the session's end again, because this machine's clock may have been corrected since the sign-in.
            refreshed.sessionEndsAt = Self.end(of: refreshed) ?? credential.sessionEndsAt
            return .refreshed(refreshed.keeping(credential.profile), dropping: dropped, faults: faults)
        case .unusable(var kept, let error):
            kept.sessionEndsAt = credential.sessionEndsAt
            return .unusable(kept, error)
        case .refused, .personNeeded, .ambiguous, .misconfigured, .stepUpNeeded, .clientUnknown, .unreadable, .notSent,
            .unspent:
            return result
        }
    }

    /// Verifies the ID token of a refresh, and keeps the session's profile.
    func verify(_ credential: Credential, in context: RefreshContext) async throws -> RefreshVerification {
        let result = try await connection.verify(
            credential, in: context, translating: { IAMError.translated($0) })
        guard case .verified(let verified, let dropped) = result else { return result }
        return .verified(verified.keeping(credential.profile), dropping: dropped)
    }
}

enum SessionDetail {
    static let subject = SessionSubject.detail
    /// The name of the detail that is `true` for a session whose access token is an assertion: the token for ThunderID's own
    /// APIs at the end of a flow that the app itself shows.
    static let isAssertion = "isAssertion"
}

extension Credential {
    /// Returns the refreshed session with its former profile. The new tokens only add values that the former profile lacks: the
    /// server repeats the data of the sign-in in its tokens, and the person's record may have changed since.
    fileprivate func keeping(_ former: AccountProfile?) -> Credential {
        var credential = self
        let current = profile.completed(with: AccountProfile(attributes: toldClaims))
        credential.profile = former.completed(with: current)
        return credential
    }

    /// The claims of the ID token, and those of the access token that the ID token lacks. An access token with another
    /// subject than the session is ignored. The signatures are not verified here: the ID token of a sign-in is verified
    /// before it is stored, and access tokens come directly from the server.
    var toldClaims: [String: JSONValue] {
        let idToken = idToken.flatMap { try? JSONWebToken($0) }?.claims ?? [:]
        guard let accessToken = try? JSONWebToken(accessToken), accessToken.subject.hasBytes(of: subject) else {
            return idToken
        }
        return accessToken.claims.merging(idToken) { $1 }
    }

    var subject: String? { details[SessionDetail.subject]?.stringValue }
    /// Whether the access token is an assertion and not an OAuth token; see ``SessionDetail/isAssertion``.
    var isAssertion: Bool { details[SessionDetail.isAssertion]?.boolValue ?? false }

    /// Creates a session from a native flow's assertion. The session ends when the assertion expires.
    /// - Throws: ``IAMError`` with `serverError` if the assertion does not identify the person.
    init(assertion: Secret, backend: String, at now: Date) throws {
        let claims = try? JSONWebToken(assertion)
        guard let subject = claims?.subject, !subject.isEmpty else {
            throw IAMError(.serverError, "The server did not say who signed in. Try again later.")
        }
        let expiresAt = claims?.lifetime.map { now + $0.timeInterval }
        self.init(
            accessToken: assertion, issuedAt: now, expiresAt: expiresAt, signedInAt: now, sessionEndsAt: expiresAt,
            backend: backend,
            details: [SessionDetail.subject: .string(subject), SessionDetail.isAssertion: true])
        profile = AccountProfile(attributes: toldClaims)
    }
}
