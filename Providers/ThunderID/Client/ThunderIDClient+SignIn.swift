import Foundation
import IdentityKit

extension ThunderIDClient {
    /// Starts a sign-in in the app, or submits one of its steps. Call it in a loop: first with an empty payload, then
    /// with the person's inputs and the chosen action, until ``EmbeddedFlowResponse/flowStatus`` is no longer
    /// `promptOnly`.
    ///
    /// ``ThunderIDConfig/nativeSession`` decides whether the resulting session can be refreshed, or consists of the
    /// flow's assertion and lasts an hour.
    /// - Parameters:
    ///   - payload: the values for the current step. Values that only an earlier step asked for are not sent.
    ///   - request: the flow and its application; used only at the start of a flow.
    ///   - sessionId: the session to sign in to; `nil` for the session that was given at the flow's start. If none was
    ///     given, the session without a name is used.
    /// - Returns: the next step, or the end of the flow. After a wrong password, the next step has an
    ///   ``EmbeddedFlowResponse/error``.
    /// - Throws: ``IAMError`` if the call itself failed, or `CancellationError`. With `sessionExpired` the flow has
    ///   ended and must be started again; after `networkError` and `requestTimeout` the same payload may be tried once
    ///   more.
    public func signIn(
        payload: EmbeddedSignInPayload, request: EmbeddedFlowRequestConfig, sessionId: String? = nil
    ) async throws -> EmbeddedFlowResponse {
        try await performLoading { try await $0.run(payload, request, sessionID: sessionId) }
    }

    /// Starts a registration in the app, or submits one of its steps, like ``signIn(payload:request:sessionId:)``.
    ///
    /// A registration signs the person in only if ``EmbeddedFlowResponse/establishesSession`` is `true`.
    /// - Parameters:
    ///   - payload: the values for the current step; `nil` starts a registration.
    ///   - request: the application; `nil` for the configured application. If none is configured, the application of the OAuth
    ///     client is used. A request with the default flow type, which is that of a sign-in, also starts a registration. Used
    ///     only at the start of a flow.
    /// - Throws: ``IAMError``, with `registrationDisabled` if the application does not register users; or
    ///   `CancellationError`.
    public func signUp(
        payload: EmbeddedSignInPayload? = nil, request: EmbeddedFlowRequestConfig? = nil
    ) async throws -> EmbeddedFlowResponse {
        try await performLoading { engine in
            var request = request ?? EmbeddedFlowRequestConfig(applicationId: engine.config.applicationId ?? "")
            if request.flowType == .authentication { request.flowType = .registration }
            return try await engine.run(payload ?? EmbeddedSignInPayload(), request, sessionID: nil)
        }
    }

    /// Returns the server's metadata of an application's flows, unchanged: `i18n` has the texts, `application` the
    /// branding. ``flowTexts(applicationId:language:)`` returns the same response as ``FlowTexts``.
    /// - Throws: ``IAMError``, with `invalidConfiguration` if the server does not know the application; or
    ///   `CancellationError`.
    public nonisolated(nonsending) func getFlowMeta(
        applicationId: String, language: String = "en-US"
    ) async throws -> [String: Any] {
        try await flowTexts(applicationId: applicationId, language: language).document.mapValues(\.plain)
    }

    /// Returns the texts and the branding of an application's flows. The client has already used these texts for the
    /// labels in each ``EmbeddedFlowResponse``.
    /// - Parameters:
    ///   - applicationId: the application; `nil` for the configured application. If none is configured, the result has the
    ///     server's own texts.
    ///   - language: a BCP 47 tag; `nil` for the first of these that is set: the language of ``setLanguage(_:)``,
    ///     ``ThunderIDConfig/language``, and the system's language.
    /// - Throws: ``IAMError``, with `invalidConfiguration` if the server does not know the application; or
    ///   `CancellationError`.
    public func flowTexts(applicationId: String? = nil, language: String? = nil) async throws -> FlowTexts {
        try await perform { engine in
            try await engine.texts.texts(
                applicationID: applicationId ?? engine.config.applicationId, language: language ?? engine.language)
        }
    }

    /// Returns a step translated to the language of ``setLanguage(_:)``, for a form whose language changes while it is
    /// shown. Nothing is submitted.
    /// - Returns: the unchanged step if its texts cannot be fetched.
    public func translated(_ step: EmbeddedFlowResponse) async -> EmbeddedFlowResponse {
        guard let engine = try? engine() else { return step }
        return await engine.texts.translated(step, language: engine.language)
    }

    /// Returns the address to open in a browser, with PKCE, `state` and `nonce`. Several sign-ins can be open at a
    /// time. Until the server's metadata is known, the address has the usual path `oauth2/authorize`.
    ///
    /// Without an `afterSignInUrl` the server uses the redirect URI registered for the client. If several are registered, the
    /// server's page reports that the redirect URI is missing.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if `clientId` is missing, if an option would override the
    ///   protocol's own parameters, or if the request must be pushed to the server, which only
    ///   ``signInURL(options:sessionId:)`` can do.
    public func buildSignInURL(options: SignInOptions? = nil) throws -> URL {
        do {
            return try engine().signInURL(options)
        } catch {
            throw IAMError.documented(error)
        }
    }

    /// Discovers the server, pushes the authorization request as ``ThunderIDConfig/pushesAuthorizationRequests``
    /// determines, and returns the address to open in a browser.
    /// - Parameters:
    ///   - options: parameters of the authorization request, in addition to the configured ones.
    ///   - sessionId: the session to sign in to; `nil` for the session without a name.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if `clientId` is missing or an option would override the
    ///   protocol's own parameters, or with the code for a failure of the discovery or the push; or
    ///   `CancellationError`.
    public func signInURL(options: SignInOptions? = nil, sessionId: String? = nil) async throws -> URL {
        try await perform { try await $0.pushedSignInURL(options, for: sessionId) }
    }

    /// Returns the app's own page where people register, ``ThunderIDConfig/signUpUrl``, with the application and the
    /// options in its query. ``signUp(payload:request:)`` registers without a page.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if ``ThunderIDConfig/signUpUrl`` is missing, is no URL, or
    ///   does not use HTTPS. With ``ThunderIDConfig/allowsLoopbackHTTP``, `http` to this machine is accepted, too.
    public func signUpURL(options: SignUpOptions? = nil) throws -> URL {
        do {
            return try engine().signUpURL(options)
        } catch {
            throw IAMError.documented(error)
        }
    }

    /// Signs in on the server's page: opens it, waits for the callback, and begins the session.
    /// - Parameters:
    ///   - options: parameters of the authorization request, in addition to the configured ones.
    ///   - sessionId: the session to sign in to; `nil` for the session without a name.
    ///   - browser: the browser for the page, by default the system's sheet or browser as in `DefaultWebAuthenticator`.
    /// - Returns: the user; with only the identifier if the server cannot describe the user now.
    /// - Throws: `CancellationError` if the person closes the page or the task is cancelled; or ``IAMError``, with
    ///   `invalidConfiguration` if `clientId`, `afterSignInUrl` or a browser is missing.
    @discardableResult
    public func signInWithBrowser(
        options: SignInOptions? = nil, sessionId: String? = nil,
        browser: (any WebAuthenticator)? = DefaultWebAuthenticator.ofThisSystem
    ) async throws -> User {
        try await performLoading { try await $0.signIn(in: browser, options, for: sessionId) }
    }

    /// Checks the callback, exchanges its authorization code for tokens, and begins the session that was given at the
    /// start of the sign-in. The app may have been restarted while the person was in the browser. If the task is
    /// cancelled, the sign-in goes on, because the callback can be used only once.
    /// - Parameter url: the whole callback address.
    /// - Returns: the user; with only the identifier if the server cannot describe the user now.
    /// - Throws: ``IAMError`` with `invalidGrant` if the address is not a response to a sign-in of this client or has
    ///   no authorization code, or with the code for another failure, such as the server's refusal; or
    ///   `CancellationError`.
    @discardableResult
    public func handleRedirectCallback(url: URL) async throws -> User {
        try await performLoading { try await $0.finish(url, for: nil) }
    }

    /// Finishes a sign-in as ``handleRedirectCallback(url:)`` does, but begins the session `sessionId`, even if the sign-in was
    /// started for another session. With `nil`, both methods do the same.
    /// - Throws: as ``handleRedirectCallback(url:)``.
    @discardableResult
    public func handleRedirectCallback(url: URL, sessionId: String?) async throws -> User {
        try await performLoading { try await $0.finish(url, for: sessionId) }
    }

    /// Stops waiting for all sign-ins in a browser, for any session. Their callbacks are refused from now on.
    /// - Throws: ``IAMError`` if the client is not initialized.
    public func stopRedirectSignIns() async throws {
        try await performLoading { await $0.redirects.forgetAll(because: .flowOver) { _ in true } }
    }
}
