import Foundation
import IdentityKit
import OAuthKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The OAuth side of a ThunderID server for one client: where its endpoints are, and what is done there.
final class TokenService: Sendable {
    /// Who asks, and how.
    struct Profile: Sendable {
        var clientID: String
        var authentication = ClientAuthentication.none
        var allowsLoopbackHTTP = false
        /// Whether authorization requests are pushed although the server does not say that it requires it.
        var pushesAuthorizationRequests = false
        /// Whether tokens are bound to a key of this device.
        var bindsTokens = false
    }

    let environment: IdentityEnvironment
    let profile: Profile
    let client: OAuthClient
    /// Proves the key that tokens are bound to.
    let device: DeviceKey
    private let backend: String
    private let discovered: DiscoveredRelyingParty

    init(server: ServerAPI, profile: Profile, environment: IdentityEnvironment) {
        self.environment = environment
        self.profile = profile
        backend = server.baseURL.description
        let client = OAuthClient(
            id: profile.clientID, authentication: profile.authentication,
            transportSecurity: profile.allowsLoopbackHTTP ? .loopbackHTTPAllowed : .httpsOnly)
        self.client = client
        var oauth = OAuthServer(type: ThunderIDPlugin.type, backend: backend, client: client, account: .idToken) { _ in
            try await ServerMetadata.fetch(from: server, transportSecurity: client.transportSecurity)
        }
        oauth.bindsTokens = profile.bindsTokens
        device = oauth.deviceKey(in: environment)
        discovered = oauth.relyingParty(in: environment, key: device)
    }

    /// The client at the server, whose endpoints and issuer are discovered once.
    var relyingParty: RelyingParty {
        get async throws { try await discovered.relyingParty }
    }

    /// The client at the server, when that is known already.
    var knownRelyingParty: RelyingParty? { discovered.knownRelyingParty }

    // MARK: Authorization requests

    /// The address to open, pushed to the server first where it or the application requires that.
    func url(for request: AuthorizationRequest) async throws -> URL {
        try await relyingParty.url(for: request, pushed: profile.pushesAuthorizationRequests)
    }

    /// Starts the authorization request without a browser (contract 1.13): the redirect to the sign-in page names the
    /// execution, which any client may drive.
    func open(_ request: AuthorizationRequest) async throws -> NativeAuthorization {
        let url = try await url(for: request)
        let (_, response) = try await environment.transport.data(for: URLRequest(url: url))
        guard (300..<400).contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"),
            let page = URL(string: location, relativeTo: request.authorizationEndpoint)?.absoluteURL
        else {
            throw IAMError(.serverError, "The server did not start the sign-in. Try again later.")
        }
        switch try NativeAuthorization.reading(page, for: request, at: environment.time.now) {
        case .opened(let authorization): return authorization
        case .untrusted(let detail): throw await reason(forDistrusting: request, detail)
        }
    }

    /// Why the server sent the browser to its own error page, which it does when it trusts the client or the redirect URI
    /// not enough to say so there (contract 2.1). The page has one code for both. Pushing the same request tells them
    /// apart by the code of the answer: an unknown client fails to authenticate (contract 2.4).
    private func reason(forDistrusting request: AuthorizationRequest, _ detail: String) async -> IAMError {
        do {
            _ = try await relyingParty.url(for: request, pushed: true)
        } catch OAuthError.refused(let refusal) where refusal.error == .invalidRequest {
            return IAMError(
                .invalidRedirectUri,
                "The server does not know this redirect URI for the client. Register \(request.redirectURI).")
        } catch OAuthError.refused(let refusal) where refusal.error == .invalidClient {
            return IAMError(.invalidConfiguration, "The server does not know this client. Check clientID.")
        } catch {
            // What it says itself has to do.
        }
        return IAMError(.invalidConfiguration, "The server refused the authorization request: \(detail).")
    }

    // MARK: Sessions

    /// The session that `tokens` are.
    func credential(_ tokens: TokenSet) -> Credential {
        var credential = tokens.credential(backend: backend, clientID: client.id)
        credential.sessionEndsAt = Self.end(of: credential)
        // Without the scope `openid` there is no ID token, and the access token came straight from the server.
        let subject = tokens.idToken?.subject ?? (try? JSONWebToken(credential.accessToken))?.subject
        credential.details[SessionDetail.subject] = subject.map(JSONValue.string)
        credential.profile = AccountProfile(attributes: credential.toldClaims)
        return credential
    }

    /// When the session ends whatever is done: a rotated refresh token keeps the expiry of the first one (contract 2.5).
    /// The token is a JWT, which says when that is by the server's clock; what was issued last says what time it was there.
    ///
    /// A machine whose clock is wrong does not know it: once the clock is put right, the end would be wrong.
    private static func end(of credential: Credential) -> Date? {
        guard let refreshToken = credential.refreshToken else { return credential.expiresAt }
        let tokens = [refreshToken, credential.accessToken].compactMap { try? JSONWebToken($0) }
        guard let end = (try? JSONWebToken(refreshToken))?.expiresAt,
            let answeredAt = tokens.compactMap(\.issuedAt).max(), end > answeredAt,
            abs(answeredAt.timeIntervalSince(credential.issuedAt)) < largestKnownError
        else { return nil }
        return credential.issuedAt + end.timeIntervalSince(answeredAt)
    }

    /// How far a clock may be off and still be taken for right, in seconds.
    private static let largestKnownError: TimeInterval = 300

    /// Revokes a session's tokens: any of them ends all (contract 2.7).
    func revoke(_ credential: Credential) async throws {
        let hint: TokenTypeHint = credential.refreshToken == nil ? .accessToken : .refreshToken
        try await relyingParty.revoke(credential.refreshToken ?? credential.accessToken, hint: hint)
    }

    /// Refreshes a session (contract 2.5).
    func refresh(_ credential: Credential) async throws -> RefreshResult {
        let answer = try await RefreshResult.refreshing(
            credential, at: { try await self.relyingParty }, translating: { IAMError.translated($0) })
        guard case .refreshed(var refreshed, let dropped) = answer else { return answer }
        // Told anew: this machine's clock may have been put right since the sign-in.
        if let end = Self.end(of: refreshed) { refreshed.sessionEndsAt = end }
        return .refreshed(refreshed, dropping: dropped)
    }

    /// Verifies the ID token that a refresh brought.
    func verify(_ credential: Credential) async throws -> RefreshVerification {
        try await .verifying(
            credential, at: { try await self.relyingParty }, translating: { IAMError.translated($0) })
    }
}

/// What a session remembers beside its tokens.
enum SessionDetail {
    /// Where earlier versions kept ``Credential/sessionEndsAt``, in seconds since 1970 by this machine's clock.
    fileprivate static let formerEnd = "sessionEndsAt"
    /// Who signed in.
    static let subject = SessionSubject.detail
    /// Whether the access token is the assertion of a native flow.
    static let isAssertion = "isAssertion"
}

extension Credential {
    /// The same, with its end where it belongs when an earlier version stored it.
    var modernized: Credential {
        guard sessionEndsAt == nil,
            let end = details[SessionDetail.formerEnd]?.numberValue.flatMap(Date.init(outsideSecondsSince1970:))
        else { return self }
        var credential = self
        credential.sessionEndsAt = end
        credential.details[SessionDetail.formerEnd] = nil
        return credential
    }

    /// What the tokens say of the person. Only a verified ID token is ever stored, and an access token came straight from
    /// the server; one that is about somebody else says nothing.
    var toldClaims: [String: JSONValue] {
        let idToken = idToken.flatMap { try? JSONWebToken($0) }?.claims ?? [:]
        guard let accessToken = try? JSONWebToken(accessToken), accessToken.subject.hasBytes(of: subject) else {
            return idToken
        }
        return accessToken.claims.merging(idToken) { $1 }
    }

    /// Who signed in.
    var subject: String? { details[SessionDetail.subject]?.stringValue }
    /// Whether the access token is the assertion of a native flow, which is no OAuth token (contract 1.9).
    var isAssertion: Bool { details[SessionDetail.isAssertion]?.boolValue ?? false }

    /// The session that a native flow's assertion is: it lasts as long as the assertion.
    /// - Throws: ``IAMError`` when the assertion does not say who signed in.
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
