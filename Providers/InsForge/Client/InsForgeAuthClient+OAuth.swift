import Foundation
import IdentityKit
import OAuthKit

/// Signing in in the browser, and what comes back from there.
extension InsForgeAuthClient {
    /// Opens the page of an OAuth provider.
    ///
    /// With a `browser` in the options the call ends with the sign-in and returns the session. With `openURL` it returns
    /// `nil` once the page is open, and the result arrives at `redirectTo`, for ``handleAuthCallback(_:)``.
    /// - Parameters:
    ///   - provider: the provider.
    ///   - redirectTo: where the browser is sent in the end: an address of the app.
    ///   - parameters: handed on to the provider, such as `login_hint` and `prompt`.
    /// - Throws: ``InsForgeAuthError/cancelled`` when the person closes the page.
    @discardableResult
    public func signInWithOAuthView(
        provider: OAuthProvider, redirectTo: String, parameters: [String: String] = [:]
    ) async throws -> AuthResponse? {
        try await openPage(of: .builtIn(provider), redirectTo, parameters)
    }

    /// Opens the page of a custom OAuth provider.
    /// - Parameters:
    ///   - providerKey: the provider's key in the project.
    ///   - redirectTo: where the browser is sent in the end: an address of the app.
    ///   - parameters: handed on to the provider, such as `login_hint` and `prompt`.
    /// - Throws: as ``signInWithOAuthView(provider:redirectTo:parameters:)``.
    @discardableResult
    public func signInWithOAuthView(
        providerKey: String, redirectTo: String, parameters: [String: String] = [:]
    ) async throws -> AuthResponse? {
        try await openPage(of: try OAuthProviderKey(custom: providerKey), redirectTo, parameters)
    }

    /// The address of the sign-in page that servers before March 2026 host. Open it, and give what comes back to
    /// ``handleAuthCallback(_:)``.
    ///
    /// Today's servers do not have the page: ask ``hasDefaultView()`` first, and build a page of your own from
    /// ``getPublicConfig()`` where it is gone. When the flow cannot be started, because `redirectTo` is no address or
    /// there is no randomness, the page is returned without a proof of this app, and its answer will be refused.
    public func signInWithDefaultView(redirectTo: String) -> URL {
        guard let project = try? project() else { return URL(fileURLWithPath: "/") }
        guard let address = try? RedirectAddress(redirectTo),
            let flow = try? hostedPageFlow(at: address, backend: project.engine.backend)
        else { return project.api.hostedPage(redirectURI: redirectTo, codeChallenge: nil) }
        project.flows.remember(flow)
        return project.api.hostedPage(
            redirectURI: flow.redirectURI.absoluteString, codeChallenge: flow.verifier?.codeChallenge)
    }

    /// Whether the server has the page of ``signInWithDefaultView(redirectTo:)``.
    /// - Throws: ``InsForgeAuthError``.
    public func hasDefaultView() async throws -> Bool {
        try await project().api.hasHostedPage()
    }

    /// Signs in with what came back to the app's address.
    ///
    /// Only the answer to something that was started here is taken, and only at the address that was asked for.
    /// - Throws: ``InsForgeAuthError/invalidCallback(_:)`` for anything else, ``InsForgeAuthError/oauth(_:)`` when the
    ///   sign-in failed, and ``InsForgeAuthError/mailedLink(_:)`` when a mailed link was opened, which signs nobody in.
    ///   The flow goes on waiting, because anybody can send an app to such an address.
    @discardableResult
    public func handleAuthCallback(_ url: URL) async throws -> AuthResponse {
        let start = startSignIn()
        let project = try project()
        let (flow, callback) = try await project.flows.match(
            url, backend: project.engine.backend, allowsTokens: options.auth.allowsTokenCallbacks)
        return try await finish(flow, with: callback, since: start)
    }

    // MARK: One flow from its start to its end

    private func openPage(
        of provider: OAuthProviderKey, _ redirectTo: String, _ parameters: [String: String]
    ) async throws -> AuthResponse? {
        let start = startSignIn()
        let project = try project()
        var address = try RedirectAddress(redirectTo)
        if let browser = options.auth.browser {
            address = try RedirectAddress(await browser.redirectURI(for: address.url))
        }
        let (id, verifier) = (try flowID(), try CodeVerifier(random: options.random))
        // A flow that is forgotten while the page is asked for must not be finished.
        func flow(at redirectURI: URL) -> PendingFlow {
            PendingFlow(
                .oauth, backend: project.engine.backend, redirectURI: redirectURI, verifier: verifier, id: id,
                at: options.time.now)
        }
        do {
            let (page, redirectURI) = try await project.api.authorizationPage(
                for: provider, redirectURIs: address.candidates(state: id, isAdded: addsState),
                codeChallenge: verifier.codeChallenge, extras: parameters
            ) { project.flows.remember(flow(at: $0)) }
            if let browser = options.auth.browser {
                let (flow, allowsTokens) = (flow(at: redirectURI), options.auth.allowsTokenCallbacks)
                let url = try await browser.authenticate(
                    WebAuthenticationRequest(url: page, redirectURI: redirectURI) {
                        let callback = try? InsForgeCallback($0, redirectURI: redirectURI, allowsTokens: allowsTokens)
                        return callback.map(flow.expects) == true
                    })
                let callback = try InsForgeCallback(url, redirectURI: redirectURI, allowsTokens: allowsTokens)
                guard flow.expects(callback) else {
                    throw InsForgeAuthError.invalidCallback("it is the result of something else.")
                }
                return try await finish(flow, with: callback, since: start)
            }
            guard let open = options.auth.openURL, await open(page) else {
                throw InsForgeAuthError.notConfigured(
                    "The sign-in page could not be opened. Give the client a browser or a way to open addresses.")
            }
            return nil
        } catch {
            _ = try? await project.flows.take(id)
            // Closing the page is the person's decision; a cancelled task is the app's.
            throw error is CancellationError && !Task.isCancelled ? InsForgeAuthError.cancelled : error
        }
    }

    /// Whether a flow has a `state` of its own; `nil` for where the server keeps it. What returns with a token does not.
    private var addsState: Bool? {
        options.auth.addsStateToRedirect ?? (options.auth.allowsTokenCallbacks ? false : nil)
    }

    private func flowID() throws -> String { try options.random.bytes(16).hexEncoded }

    /// A sign-in on the hosted page. Whether that page keeps a query cannot be known, so only a demand adds a `state`.
    private func hostedPageFlow(at address: RedirectAddress, backend: String) throws -> PendingFlow {
        let id = try flowID()
        return PendingFlow(
            .hostedPage, backend: backend, redirectURI: addsState == true ? address.with(state: id) : address.url,
            verifier: try CodeVerifier(random: options.random), id: id, at: options.time.now)
    }

    private func finish(
        _ flow: PendingFlow, with callback: InsForgeCallback, since start: SignInStart
    ) async throws -> AuthResponse {
        let project = try project()
        let answer: SessionAnswer
        switch callback {
        case .code(let code):
            guard let verifier = flow.verifier else {
                throw InsForgeAuthError.invalidCallback("it is the result of something else.")
            }
            answer = try await project.api.exchange(code: code, codeVerifier: verifier.secret)
        case .legacyToken(let token):
            // What the address says about the user is anybody's word; the server knows whose token it is.
            let user = try await project.api.currentUser(token.reveal())
            answer = SessionAnswer(user: user, accessToken: token, refreshToken: nil)
        case .failure(let text): throw InsForgeAuthError.oauth(text)
        case .emailVerified: throw InsForgeAuthError.mailedLink(.emailVerified)
        case .emailNotVerified(let text): throw InsForgeAuthError.mailedLink(.emailNotVerified(text))
        case .passwordReset(let token): throw InsForgeAuthError.mailedLink(.passwordReset(token: token))
        case .passwordResetFailed(let text): throw InsForgeAuthError.mailedLink(.passwordResetFailed(text))
        }
        // Of two answers to one flow, and of an answer and a sign-out, the first one counts.
        guard try await project.flows.take(flow.id) != nil else { throw InsForgeAuthError.cancelled }
        try await begin(answer, since: start)
        return AuthResponse(answer)
    }
}
