import Foundation
import IdentityKit

// The end of an OAuth sign-in: the provider redirects the browser to this server, and this server redirects it to the app
// with a code. The app then exchanges the code for tokens.

extension InsForgeCall {
    /// `GET` and `POST /api/auth/oauth/:provider/callback`: redirects the browser to the app with a code.
    ///
    /// A missing or invalid state, or a redirect address that is not allowed, gives an error response. A later failure
    /// redirects the browser to the app with the error's message.
    func oauthCallback() throws -> LocalResponse {
        guard let token = callbackParameter("state") else {
            throw InsForgeServerError.invalidInput("State parameter is required")
        }
        guard let state = try? OAuthState(backend.tokens.hourClaims(of: token)) else {
            throw InsForgeServerError.invalidInput("Invalid state parameter")
        }
        try backend.requireAllowed(redirect: state.redirectURI)
        do {
            let name = parameter("provider")
            guard InsForgeOAuthProviders.builtInNames.contains(name) else {
                throw InsForgeServerError.unsupportedProvider(name)
            }
            guard let code = callbackParameter("code") else {
                throw InsForgeServerError.invalidInput("No authorization code or token provided")
            }
            return try finish(state, provider: name, code: code)
        } catch let failure as InsForgeServerError {
            return .insForgeRedirect(to: state.redirect.with(["error": failure.message]).href)
        }
    }

    /// `GET /api/auth/oauth/custom/:key/callback`: redirects the browser to the app with a code.
    ///
    /// An invalid key, a missing or invalid state, or a redirect address that is not allowed gives an error response.
    /// Every other failure redirects the browser to the app with the message `Authentication failed`.
    func customOAuthCallback() throws -> LocalResponse {
        let key = try customKey()
        let code = callbackParameter("code")
        let state = try oauthState(isComplete: code != nil)
        try backend.requireAllowed(redirect: state.redirectURI)
        guard let code, state.provider == key, let response = try? finish(state, provider: key, code: code)
        else { return .insForgeRedirect(to: state.redirect.with(["error": "Authentication failed"]).href) }
        return response
    }

    /// Returns the values in the `state` token.
    /// - Parameter isComplete: whether the callback has a `code`.
    /// - Throws: `code and state are required` if `state` is missing, or if `state` is invalid and the callback has no `code`.
    ///   If `state` is invalid and the callback has a `code`, the error of the verification.
    private func oauthState(isComplete: Bool) throws -> OAuthState {
        let token = callbackParameter("state")
        do {
            return try OAuthState(backend.tokens.hourClaims(of: token ?? ""))
        } catch {
            guard token != nil, isComplete else {
                throw InsForgeServerError.invalidInput("code and state are required")
            }
            throw error
        }
    }

    func exchangeOAuthCode() throws -> LocalResponse {
        var fields = fields
        let code = fields.string("code", .notEmpty("Exchange code is required"))
        let codeVerifier = fields.proofKey("code_verifier", label: "Code verifier")
        try fields.check()
        let userID = try backend.oauthCodes.redeem(code, codeVerifier: codeVerifier)
        guard let user = backend.users.user(id: userID) else { throw InsForgeServerError.userNotFound }
        backend.counters.withLock { $0.exchanges += 1 }
        return try session(for: user)
    }

    /// Returns the first nonempty value of a callback's parameter; `nil` for none. A `POST`, which Apple sends, has its
    /// parameters in a form; a `GET` has them in the query.
    private func callbackParameter(_ name: String) -> String? {
        let parameters = request.method == "POST" ? request.form ?? [] : request.query
        return parameters.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    private func finish(_ state: OAuthState, provider: String, code: String) throws -> LocalResponse {
        guard let identity = backend.fakeProvider.redeem(code) else {
            throw InsForgeServerError.internalError("Failed to exchange the authorization code")
        }
        let rules = backend.rules
        let user = try backend.users.resolve(
            identity, at: provider, allowsSignUp: !rules.disableSignup, date: backend.time.now)
        if rules.legacy.callbackCarriesTokens { return try legacyRedirect(to: state.redirect, for: user) }
        let code = backend.oauthCodes.issue(userID: user.id, codeChallenge: state.codeChallenge)
        return .insForgeRedirect(to: state.redirect.with(["insforge_code": code]).href)
    }

    /// Returns the redirect to the app as servers before January 2026 sent it. The address contains an access token, a CSRF
    /// token and user fields, and a cookie contains the refresh token.
    private func legacyRedirect(to redirect: WebURL, for user: InsForgeUser) throws -> LocalResponse {
        let session = InsForgeSession(subject: user.id, type: .user)
        let target = redirect.with(try backend.legacyParameters(of: session, for: user, missingName: ""))
        let refreshToken = try backend.tokens.refreshToken(subject: user.id, type: .user, csrfNonce: session.csrfNonce)
        return .insForgeRedirect(to: target.href)
            .with(header: "Set-Cookie", InsForgeCookie.user.set(refreshToken, at: backend.time.now))
    }
}

/// The values of an OAuth sign-in that the `state` token carries.
private struct OAuthState {
    let provider: String
    let redirectURI: String
    let redirect: WebURL
    let codeChallenge: String

    init(_ claims: JSONValue) throws {
        guard let redirectURI = claims["redirectUri"]?.stringValue, let redirect = WebURL(redirectURI) else {
            throw InsForgeServerError.invalidInput("redirectUri is required in state")
        }
        guard let codeChallenge = claims["codeChallenge"]?.stringValue else {
            throw InsForgeServerError.invalidInput("code_challenge is required in state")
        }
        provider = claims["provider"]?.stringValue ?? ""
        (self.redirectURI, self.redirect, self.codeChallenge) = (redirectURI, redirect, codeChallenge)
    }
}

extension InsForgeBackend {
    /// Returns the access token, the CSRF token and the user fields that older servers put into the app's redirect address.
    /// - Parameter missingName: the value of `name` for a user without a name.
    func legacyParameters(
        of session: InsForgeSession, for user: InsForgeUser, missingName: String
    ) throws -> KeyValuePairs<String, String> {
        [
            "access_token": try accessToken(for: user), "user_id": user.id, "email": user.email,
            "name": user.profile["name"]?.stringValue ?? missingName,
            "csrf_token": tokens.csrfToken(subject: user.id, type: .user, csrfNonce: session.csrfNonce),
        ]
    }
}
