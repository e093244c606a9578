import Foundation
import IdentityKit
import IdentityOAuth

/// Sign-ins and sign-outs in a browser.
extension ClientEngine {
    /// Creates an authorization request for the discovered server.
    /// - Parameter redirectURI: the redirect URI; `nil` for the configured redirect URI.
    func authorizationRequest(
        _ options: SignInOptions? = nil, returningTo redirectURI: URL? = nil
    ) async throws -> AuthorizationRequest {
        let address = if let redirectURI { redirectURI } else { try config.redirectURI() }
        let party = try await requireTokens().connection.party(of: nil as Credential?)
        return try applying(options, to: party.authorizationRequest(returningTo: address, scopes: config.scopes))
    }

    func signIn(
        in browser: (any WebAuthenticator)?, _ options: SignInOptions?, for sessionID: String?
    ) async throws -> User {
        guard let browser else {
            throw IAMError(.invalidConfiguration, "There is no browser to sign in with.")
        }
        guard let registered = try config.redirectURI() else {
            throw IAMError(.invalidConfiguration, "Set afterSignInUrl.")
        }
        var request = try await authorizationRequest(options, returningTo: browser.redirectURI(for: registered))
        try config.signInPage().map { request.authorizationEndpoint = $0 }
        let page = try await requireTokens().url(for: request)
        await redirects.keep(PendingRedirect(request.pending, for: sessionID))
        let callback = try await browser.callback(at: page, for: request.pending)
        return try await finish(callback, for: sessionID, whenAbandoned: .cancel)
    }

    /// Returns the address of the sign-in page without a request to the server, and keeps the authorization request for the
    /// callback.
    ///
    /// Before discovery, the address has the endpoint's usual path, `oauth2/authorize`. The response is checked against the
    /// discovered issuer in any case. A request that has to be pushed first (RFC 9126) is refused with ``IAMError``.
    func signInURL(_ options: SignInOptions?) throws -> URL {
        let tokens = try requireTokens()
        let redirectURI = try config.redirectURI()
        let party = tokens.connection.knownRelyingParty
        guard party?.metadata.requiresPushedAuthorizationRequests != true, config.pushesAuthorizationRequests != true
        else {
            throw IAMError(
                .invalidConfiguration,
                "The authorization request has to be pushed to the server first. Use signInURL(options:sessionId:).")
        }
        var request =
            if let party {
                try party.authorizationRequest(returningTo: redirectURI, scopes: config.scopes)
            } else {
                try AuthorizationRequest(
                    client: tokens.oauth.client, authorizationEndpoint: server.baseURL.appending("oauth2/authorize"),
                    returningTo: redirectURI, scopes: config.scopes, random: environment.random,
                    time: environment.time)
            }
        if tokens.oauth.bindsTokens { request.bind(to: try tokens.connection.prover(for: nil).key) }
        var complete = try applying(options, to: request)
        try config.signInPage().map { complete.authorizationEndpoint = $0 }
        let url = try complete.url
        redirects.remember(PendingRedirect(complete.pending, for: nil))
        return url
    }

    /// Keeps the authorization request for the callback, and returns the address of the sign-in page.
    ///
    /// ``ThunderIDConfig/pushesAuthorizationRequests`` decides whether the request is pushed first (RFC 9126). With `nil`, a
    /// request to the server's page is pushed if the server has the endpoint. A request to the app's own page,
    /// ``ThunderIDConfig/signInUrl``, is pushed only if the server requires it.
    func pushedSignInURL(_ options: SignInOptions?, for sessionID: String?) async throws -> URL {
        var request = try await authorizationRequest(options)
        try config.signInPage().map { request.authorizationEndpoint = $0 }
        let url = try await requireTokens().url(for: request)
        await redirects.keep(PendingRedirect(request.pending, for: sessionID))
        return url
    }

    private func applying(
        _ options: SignInOptions?, to request: AuthorizationRequest
    ) throws -> AuthorizationRequest {
        var request = request
        request.prompt = (options?.prompt ?? "").split(separator: " ").map { Prompt(rawValue: String($0)) }
        request.options.loginHint = options?.loginHint
        request.options.maxAge = options?.maxAge
        request.options.acrValues = options?.acrValues ?? []
        request.options.resources = options?.resource.map { [$0] } ?? []
        var extra = config.signInOptions.merging(options?.extra ?? [:]) { $1 }
        let languages = extra.removeValue(forKey: "ui_locales") as? String ?? chosenLanguage.tag ?? config.language
        request.options.uiLocales = (languages ?? "").split(separator: " ").map(String.init)
        request.extraParameters = extra.parameters + (options?.fidp.map { [FormField("fidp", $0)] } ?? [])
        return request
    }

    /// Returns the address of the page where people register, with the application and the options as parameters.
    func signUpURL(_ options: SignUpOptions?) throws -> URL {
        let application = (options?.appId ?? config.applicationId).map { ["applicationId": $0] } ?? [:]
        let parameters = config.signUpOptions.merging(options?.extra ?? [:]) { $1 }.merging(application) { $1 }
        return try config.signUpPage().appending(parameters.parameters)
    }

    /// Checks the callback and begins the session. The system may deliver the same callback twice. A copy that arrives at the
    /// same time gets the same result. So does a copy within the next minute, except after a temporary failure, a failure of
    /// the store, or a sign-out.
    /// - Parameters:
    ///   - sessionID: the session to sign in to; `nil` for the session that was given at the start of the sign-in.
    ///   - abandonment: what happens when all callers are cancelled.
    func finish(
        _ callback: URL, for sessionID: String?, whenAbandoned abandonment: Coalescer<Data, User>.Abandonment = .finish
    ) async throws -> User {
        try await callbacks.value(for: callback, whenAbandoned: abandonment) { [self] in
            try await finishFirst(callback, for: sessionID)
        }
    }

    private func finishFirst(_ callback: URL, for sessionID: String?) async throws -> User {
        let tokens = try requireTokens()
        let response = try AuthorizationResponse(callbackURL: callback)
        guard let state = response.state else {
            throw OAuthError.invalidCallback(
                response.reasonWithoutState(for: try await redirects.waiting().map(\.pending)))
        }
        // Discover the server and fetch its keys before the pending flow is taken, so that the authorization code stays
        // usable after a failure.
        let party = try await tokens.connection.relyingParty
        if response["code"] != nil, let waiting = try? await redirects.waiting(state) {
            try await party.fetchKeys(for: waiting.pending.scopes)
        }
        let taken = try await redirects.take(state) {
            let pending = $0.pending.issuer == nil ? $0.pending.bound(to: party.metadata) : $0.pending
            return pending.clientID.hasBytes(of: party.client.id) && !response.isForeignError(to: pending)
        }
        guard let redirect = taken else { throw OAuthError.invalidCallback(await redirects.reasonOfEnd(state)) }
        let pending =
            redirect.pending.issuer == nil ? redirect.pending.bound(to: party.metadata) : redirect.pending
        let sessionID = sessionID ?? redirect.sessionID
        let start = names.now(sessionID)
        let credential = tokens.credential(
            try await tokens.connection.party(of: pending).redeem(callback, for: pending))
        let account = try await begin(credential, for: sessionID, since: start)
        // The sign-in is complete, even if the data about the person cannot be requested now.
        return (try? await user(of: account)) ?? User(sub: credential.subject ?? "")
    }

    /// Ends the session in the store, then revokes its tokens at the server. With an `idTokenHint` in `options`, the
    /// server's session is ended too.
    /// - Parameter onceOver: called after the session has ended in the store, before the first request to the server.
    /// - Returns: the address to which the app should go now; `/` if none is configured.
    /// - Throws: errors of the store; errors of the server only if `options` require the revocation.
    func signOut(
        _ options: SignOutOptions?, of sessionID: String?, onceOver: @Sendable () async -> Void
    ) async throws -> String {
        callbacks.forget()
        names.noteSignOut(sessionID)
        let name = ClientSessions.name(sessionID)
        await redirects.forgetAll { ClientSessions.name($0.sessionID) == name }
        // Delete the session before the revocation, so that a failed revocation does not keep it.
        let ended = try await end(sessionID)
        await onceOver()
        var failure = await revoke(ended)
        do {
            if let hint = options?.idTokenHint {
                try await endServerSession(idTokenHint: Secret(hint), options?.extra ?? [:])
            }
        } catch {
            failure = failure ?? error
        }
        if let failure, options?.requiresRevocation == true { throw failure }
        return config.afterSignOutUrl.flatMap { $0.isEmpty ? nil : $0 } ?? "/"
    }

    /// Returns the address that ends the server's session in the person's browser; `nil` if the server has no such endpoint.
    func signOutURL(of account: AccountID) async throws -> URL? {
        let party = try await requireTokens().connection.relyingParty
        guard let endpoint = party.metadata.endSessionEndpoint else { return nil }
        var request = try EndSessionRequest(
            client: party.client, endSessionEndpoint: endpoint,
            idTokenHint: try await sessions.storedCredential(of: account)?.idToken,
            postLogoutRedirectURI: config.afterSignOutUrl.flatMap(URL.init(string:)), random: environment.random)
        request.extraParameters = config.signOutOptions.parameters
        return try request.url
    }

    /// Ends the server's session without a browser, with the calls that the server's own sign-out page would make. Does
    /// nothing if the server has no endpoint for the end of sessions.
    private func endServerSession(idTokenHint: Secret, _ extra: [String: Any]) async throws {
        let party = try await requireTokens().connection.relyingParty
        guard let endpoint = party.metadata.endSessionEndpoint else { return }
        var request = try EndSessionRequest(
            client: party.client, endSessionEndpoint: endpoint, idTokenHint: idTokenHint, random: environment.random)
        request.extraParameters = config.signOutOptions.merging(extra) { $1 }.parameters
        let (_, response) = try await environment.transport.data(for: URLRequest(url: request.url))
        guard (300..<400).contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location").flatMap(URL.init(string:)),
            let page = try? CallbackURL(location), let executionID = page["executionId"],
            let logoutID = page["logoutId"]
        else { throw IAMError(.serverError, "The server did not start the sign-out (status \(response.statusCode)).") }
        var flow = FlowState(applicationID: config.applicationId)
        let execution = EmbeddedSignInPayload(flowId: executionID)
        var step = try await driver.submit(execution, executionID: executionID, to: &flow)
        // The person has already decided to sign out, so confirm a step that only asks for confirmation. With any other
        // unfinished step, the sign-out fails below.
        if step.flowStatus == .promptOnly, step.inputs.isEmpty, step.actions.count <= 1 {
            let payload = EmbeddedSignInPayload(flowId: executionID, actionId: step.actions.first?.id)
            step = try await driver.submit(payload, executionID: executionID, to: &flow)
        }
        guard step.flowStatus == .complete else {
            throw step.error ?? IAMError(.serverError, "The server did not finish the sign-out.")
        }
        try await driver.api.finishSignOut(logoutID: logoutID)
    }
}
