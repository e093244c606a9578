import Foundation
import IdentityKit

extension ThunderIDClient {
    /// Starts a sign-in in the app, or submits a step of it. Call it in a loop: first with an empty payload, then with
    /// the person's inputs and the chosen action, until ``EmbeddedFlowResponse/flowStatus`` is no longer `promptOnly`.
    ///
    /// With a `clientId`, and an `afterSignInUrl` where an application is named, the session can be refreshed; see ``ThunderIDConfig/NativeSession``.
    /// - Parameters:
    ///   - payload: the step. Values that the newest step did not ask for, and an earlier one did, are not sent.
    ///   - request: which flow of which application; looked at when a flow starts.
    ///   - sessionId: the session that it signs in to.
    /// - Returns: the next step, or how the flow ended. A wrong password is a next step with an
    ///   ``EmbeddedFlowResponse/error``.
    /// - Throws: ``IAMError`` when the call itself failed. With `sessionExpired` the flow is over and has to be started
    ///   again; after `networkError` and `requestTimeout` the same payload may be tried once more.
    public func signIn(
        payload: EmbeddedSignInPayload, request: EmbeddedFlowRequestConfig, sessionId: String? = nil
    ) async throws -> EmbeddedFlowResponse {
        try await performLoading { try await $0.run(payload, request, sessionID: sessionId) }
    }

    /// Starts a registration in the app, or submits a step of it, like ``signIn(payload:request:sessionId:)``.
    ///
    /// A registration signs the person in only if ``EmbeddedFlowResponse/establishesSession`` says so.
    /// - Parameters:
    ///   - payload: the step; `nil` starts a registration.
    ///   - request: `nil` for the configured application, or else for that of the client.
    /// - Throws: ``IAMError``, with `registrationDisabled` where people may not register.
    public func signUp(
        payload: EmbeddedSignInPayload? = nil, request: EmbeddedFlowRequestConfig? = nil
    ) async throws -> EmbeddedFlowResponse {
        try await performLoading { engine in
            let usual = EmbeddedFlowRequestConfig(
                applicationId: engine.config.applicationId ?? "", flowType: .registration)
            return try await engine.run(payload ?? EmbeddedSignInPayload(), request ?? usual, sessionID: nil)
        }
    }

    /// The server's metadata of an application's flows, unchanged: `i18n` has the texts, `application` the looks.
    /// ``flowTexts(applicationId:language:)`` reads the texts into a type.
    /// - Throws: ``IAMError``.
    public nonisolated(nonsending) func getFlowMeta(
        applicationId: String, language: String = "en-US"
    ) async throws -> [String: Any] {
        try await flowTexts(applicationId: applicationId, language: language).document.mapValues(\.plain)
    }

    /// The texts and looks of an application's flows. Labels of steps are resolved already.
    /// - Parameters:
    ///   - applicationId: `nil` for the configured application.
    ///   - language: a BCP 47 tag; `nil` for the configured language.
    /// - Throws: ``IAMError``.
    public func flowTexts(applicationId: String? = nil, language: String? = nil) async throws -> FlowTexts {
        try await perform { engine in
            try await engine.texts.texts(
                applicationID: applicationId ?? engine.config.applicationId, language: language ?? engine.language)
        }
    }

    /// A step in the language of ``setLanguage(_:)``, for a form whose language changes while it is shown. Nothing is
    /// submitted.
    /// - Returns: the step as it is where its texts cannot be fetched.
    public func translated(_ step: EmbeddedFlowResponse) async -> EmbeddedFlowResponse {
        guard let engine = try? engine() else { return step }
        return await engine.texts.translated(step, language: engine.language)
    }

    /// The address to open in a browser, with PKCE, `state` and `nonce`. Several sign-ins can be open at a time. Until the
    /// server's metadata is known, it is where every server of this kind has it.
    ///
    /// Without an `afterSignInUrl` the server sends the browser to the address that is registered for the client. Where
    /// several are, its page says that the redirect URI is missing.
    /// - Throws: ``IAMError`` with `invalidConfiguration` without `clientId`, for an option that
    ///   would override the protocol's own parameters, and where the request has to be pushed to the server first:
    ///   ``signInURL(options:sessionId:)`` does that.
    public func buildSignInURL(options: SignInOptions? = nil) throws -> URL {
        do {
            return try engine().signInURL(options)
        } catch {
            throw IAMError.documented(error)
        }
    }

    /// The address to open in a browser: ``buildSignInURL(options:)`` that waits for the server where it has to.
    /// - Parameters:
    ///   - options: what to ask the server for.
    ///   - sessionId: the session that the sign-in is for.
    /// - Throws: ``IAMError``.
    public func signInURL(options: SignInOptions? = nil, sessionId: String? = nil) async throws -> URL {
        try await perform { try await $0.pushedSignInURL(options, for: sessionId) }
    }

    /// The app's own page where people register, ``ThunderIDConfig/signUpUrl``, with the application and the options in its
    /// query. ``signUp(payload:request:)`` registers without a page.
    /// - Throws: ``IAMError`` with `invalidConfiguration` without ``ThunderIDConfig/signUpUrl``.
    public func signUpURL(options: SignUpOptions? = nil) throws -> URL {
        do {
            return try engine().signUpURL(options)
        } catch {
            throw IAMError.documented(error)
        }
    }

    /// Signs in on the server's page: opens it, waits for what the browser brings back, and begins the session.
    /// - Parameters:
    ///   - options: what to ask the server for.
    ///   - sessionId: the session that the sign-in is for.
    ///   - browser: opens the page, by default in the system's sheet or browser, as `DefaultWebAuthenticator` says.
    /// - Returns: who signed in.
    /// - Throws: `CancellationError` when the person closes the page; ``IAMError``, with `invalidConfiguration` without
    ///   `clientId`, `afterSignInUrl` or a browser.
    @discardableResult
    public func signInWithBrowser(
        options: SignInOptions? = nil, sessionId: String? = nil,
        browser: (any WebAuthenticator)? = DefaultWebAuthenticator.ofThisSystem
    ) async throws -> User {
        try await performLoading { try await $0.signIn(in: browser, options, for: sessionId) }
    }

    /// Checks what the browser brought back, exchanges its code for tokens, and begins the session.
    /// - Parameter url: the whole address the browser was sent to.
    /// - Returns: who signed in.
    /// - Throws: ``IAMError`` with `invalidGrant` when the address is not the response to a sign-in of this client, or
    ///   has no code; with what the server says when it refused.
    @discardableResult
    public func handleRedirectCallback(url: URL) async throws -> User {
        try await performLoading { try await $0.finish(url, for: nil) }
    }

    /// As above, for another session, also when the app was restarted while the person was in the browser.
    /// - Throws: as ``handleRedirectCallback(url:)``.
    @discardableResult
    public func handleRedirectCallback(url: URL, sessionId: String?) async throws -> User {
        try await performLoading { try await $0.finish(url, for: sessionId) }
    }

    /// Stops waiting for the sign-ins in a browser that have not come back, whatever session they are for. Their callbacks are
    /// refused from now on.
    /// - Throws: ``IAMError`` when the client is not set up.
    public func stopRedirectSignIns() async throws {
        try await performLoading { await $0.redirects.forgetAll(because: .flowOver) { _ in true } }
    }
}
