import Foundation
import IdentityKit
import IdentityOAuth

/// Sign-in in the browser, and the handling of callbacks.
extension InsForgeAuthClient {
    /// Opens the sign-in page of an OAuth provider.
    ///
    /// By default, the call returns the session after the sign-in. On Apple's systems, the page appears in the system's
    /// sheet. On Linux, it appears in the browser and needs a `redirectTo` such as `http://127.0.0.1/callback`. The
    /// option ``InsForgeClientOptions/AuthOptions/browser`` replaces both.
    ///
    /// With the option ``InsForgeClientOptions/AuthOptions/openURL`` and no `browser`, the call returns `nil` when the
    /// page is open. Pass the callback, which arrives at `redirectTo`, to ``handleAuthCallback(_:)``.
    /// - Parameters:
    ///   - provider: the provider.
    ///   - redirectTo: the redirect URI, an address of the app.
    ///   - parameters: query parameters for the provider, such as `login_hint` and `prompt`.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/cancelled`` when the person closes the page or
    ///   signs out, and ``InsForgeAuthError/notConfigured(_:)`` when the page cannot be opened; or `CancellationError`
    ///   when the task is cancelled.
    @discardableResult
    public func signInWithOAuthView(
        provider: OAuthProvider, redirectTo: String, parameters: [String: String] = [:]
    ) async throws -> AuthResponse? {
        try await perform { try await openPage(of: .builtIn(provider), in: $0, redirectTo, parameters) }
    }

    /// Opens the sign-in page of a custom OAuth provider.
    /// - Parameters:
    ///   - providerKey: the provider's key in the project.
    ///   - redirectTo: the redirect URI, an address of the app.
    ///   - parameters: query parameters for the provider, such as `login_hint` and `prompt`.
    /// - Throws: as ``signInWithOAuthView(provider:redirectTo:parameters:)``, and
    ///   ``InsForgeAuthError/invalidInput(_:)`` for a malformed key.
    @discardableResult
    public func signInWithOAuthView(
        providerKey: String, redirectTo: String, parameters: [String: String] = [:]
    ) async throws -> AuthResponse? {
        try await perform {
            try await openPage(of: try OAuthProviderKey(custom: providerKey), in: $0, redirectTo, parameters)
        }
    }

    /// Returns the address of the sign-in page that servers before March 2026 host. Open the page, and pass the
    /// callback to ``handleAuthCallback(_:)``.
    ///
    /// Newer servers do not have the page. Call ``hasDefaultView()`` first. If the result is `false`, build a page of your
    /// own from ``getPublicConfig()``. If the flow cannot be started, because `redirectTo` is not a usable address or
    /// random bytes are unavailable, the page's callback will be refused. A client whose configuration is invalid, or
    /// whose store did not open, returns `about:blank`; the log and every throwing method report the reason.
    public func signInWithDefaultView(redirectTo: String) -> URL {
        guard let project = try? project() else { return URL(string: "about:blank") ?? baseURL }
        guard let address = try? RedirectAddress(redirectTo),
            let flow = try? hostedPageFlow(at: address, backend: project.engine.backend)
        else { return project.api.hostedPage(redirectURI: redirectTo, codeChallenge: nil) }
        project.flows.remember(flow)
        return project.api.hostedPage(
            redirectURI: flow.redirectURI.absoluteString, codeChallenge: flow.verifier?.codeChallenge)
    }

    /// Returns whether the server has the page of ``signInWithDefaultView(redirectTo:)``.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    public func hasDefaultView() async throws -> Bool {
        try await perform { try await $0.api.hasHostedPage() }
    }

    /// Signs in with a callback.
    ///
    /// Only callbacks of flows that this app started are accepted, and only at their redirect URI. A copy of a callback that
    /// arrives at the same time gets the result of the first one. So does a copy within a minute, unless another sign-in or a
    /// sign-out came in between. After a temporary failure, such as a lost connection, a later copy is handled again.
    ///
    /// After ``InsForgeAuthError/oauth(_:)`` or ``InsForgeAuthError/mailedLink(_:)``, the flow still waits for its
    /// callback, because any website can open an address with such a result. If the task is cancelled, the sign-in goes
    /// on, because the callback can be used only once.
    /// - Throws: ``InsForgeAuthError/invalidCallback(_:)`` for a callback of no flow, or of a flow that has ended,
    ///   expired, was replaced, or began before a sign-out; ``InsForgeAuthError/oauth(_:)`` if the sign-in failed;
    ///   ``InsForgeAuthError/mailedLink(_:)`` for a mailed link, which opens no session;
    ///   ``InsForgeAuthError/cancelled`` after a sign-out in the meantime; another ``InsForgeAuthError``; or
    ///   `CancellationError` when the task is cancelled.
    @discardableResult
    public func handleAuthCallback(_ url: URL) async throws -> AuthResponse {
        let start = now
        return try await perform { project in
            try await project.callbacks.value(for: url, whenAbandoned: .finish) { [self] in
                let (flow, callback) = try await project.flows.match(
                    url, backend: project.engine.backend, allowsTokens: options.auth.allowsTokenCallbacks)
                return try await finish(flow, with: callback, since: start)
            }
        }
    }

    private func openPage(
        of provider: OAuthProviderKey, in project: Project, _ redirectTo: String, _ parameters: [String: String]
    ) async throws -> AuthResponse? {
        let start = now
        var address = try RedirectAddress(redirectTo)
        // Get the browser once for the whole sign-in: after `redirectURI(for:)`, this instance may already listen for the
        // callback.
        let browser = options.auth.pageBrowser
        if let browser {
            address = try RedirectAddress(await browser.redirectURI(for: address.url))
        }
        let (id, verifier) = (try flowID(), try CodeVerifier(random: options.random))
        func flow(at redirectURI: URL) -> PendingFlow {
            PendingFlow(
                .oauth, backend: project.engine.backend, redirectURI: redirectURI, verifier: verifier, id: id,
                at: options.time.now)
        }
        do {
            let (page, redirectURI) = try await project.api.authorizationPage(
                for: provider, redirectURIs: address.candidates(state: id, isAdded: addsState),
                codeChallenge: verifier.codeChallenge, extras: parameters
            ) { await project.flows.keep(flow(at: $0)) }
            if let browser {
                return try await signIn(
                    on: page, in: browser, with: flow(at: redirectURI), of: project, since: start)
            }
            guard let open = options.auth.openURL, await open(page) else {
                throw InsForgeAuthError.notConfigured(
                    "The sign-in page could not be opened. Give the client a browser or a way to open addresses.")
            }
            return nil
        } catch {
            _ = try? await project.flows.take(id)
            // If this task is not cancelled, a `CancellationError` means that the person closed the page.
            throw error is CancellationError && !Task.isCancelled ? InsForgeAuthError.cancelled : error
        }
    }

    /// Shows the page in the browser, and signs in with the callback that the browser returns.
    /// - Throws: ``InsForgeAuthError/invalidCallback(_:)`` for a callback that is not the result of `flow`, or the error of
    ///   the browser or of the sign-in.
    private func signIn(
        on page: URL, in browser: any WebAuthenticator, with flow: PendingFlow, of project: Project,
        since start: Moment
    ) async throws -> AuthResponse {
        let (redirectURI, allowsTokens) = (flow.redirectURI, options.auth.allowsTokenCallbacks)
        let url = try await browser.authenticate(
            WebAuthenticationRequest(url: page, redirectURI: redirectURI) {
                let callback = try? InsForgeCallback($0, redirectURI: redirectURI, allowsTokens: allowsTokens)
                return callback.map(flow.expects) == true
            })
        let callback = try InsForgeCallback(url, redirectURI: redirectURI, allowsTokens: allowsTokens)
        guard flow.expects(callback) else {
            throw InsForgeAuthError.invalidCallback("it is the result of something else.")
        }
        return try await project.callbacks.value(for: url) { [self] in
            try await finish(flow, with: callback, since: start)
        }
    }

    /// Whether to add a `state` to the redirect URI; `nil` to add it if the server allows it. If token callbacks are allowed,
    /// the default is `false`, because a page that returns a token drops the query of the redirect URI.
    private var addsState: Bool? {
        options.auth.addsStateToRedirect ?? (options.auth.allowsTokenCallbacks ? false : nil)
    }

    private func flowID() throws -> String { try options.random.bytes(16).hexEncoded }

    /// Creates the flow of a sign-in on the hosted page. The hosted page of some servers drops the query of the
    /// redirect URI, so a `state` is added only if the options require it.
    private func hostedPageFlow(at address: RedirectAddress, backend: String) throws -> PendingFlow {
        let id = try flowID()
        return PendingFlow(
            .hostedPage, backend: backend, redirectURI: addsState == true ? address.with(state: id) : address.url,
            verifier: try CodeVerifier(random: options.random), id: id, at: options.time.now)
    }

    private func finish(
        _ flow: PendingFlow, with callback: InsForgeCallback, since start: Moment
    ) async throws -> AuthResponse {
        let project = try project()
        let session: SessionResponse
        switch callback {
        case .code(let code):
            guard let verifier = flow.verifier else {
                throw InsForgeAuthError.invalidCallback("it is the result of something else.")
            }
            session = try await project.api.exchange(code: code, codeVerifier: verifier.secret)
        case .legacyToken(let token):
            // Request the user, because the user in the callback's address cannot be trusted.
            let user = try await project.api.currentUser(token.reveal())
            session = SessionResponse(user: user, accessToken: token, refreshToken: nil)
        case .failure(let text): throw InsForgeAuthError.oauth(text)
        case .emailVerified: throw InsForgeAuthError.mailedLink(.emailVerified)
        case .emailNotVerified(let text): throw InsForgeAuthError.mailedLink(.emailNotVerified(text))
        case .passwordReset(let token): throw InsForgeAuthError.mailedLink(.passwordReset(token: token))
        case .passwordResetFailed(let text): throw InsForgeAuthError.mailedLink(.passwordResetFailed(text))
        }
        // If a second callback of the flow, or a sign-out, came first, there is no flow left to take.
        guard try await project.flows.take(flow.id) != nil else { throw InsForgeAuthError.cancelled }
        try await begin(session, since: start)
        return AuthResponse(session)
    }
}
