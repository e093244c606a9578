import Foundation
import IdentityKit

extension ThunderIDClient {
    /// Starts a sign-in in the app, or submits one of its steps. Call it in a loop: first with an empty payload, then
    /// with the person's inputs and the chosen action, until ``EmbeddedFlowResponse/flowStatus`` is no longer
    /// `promptOnly`.
    ///
    /// With a `clientId`, and an `afterSignInUrl` where an application is named, the session can be refreshed; see ``ThunderIDConfig/NativeSession``.
    /// - Parameters:
    ///   - payload: the step. Values that only an earlier step asked for are not sent.
    ///   - request: the flow and its application; used only at the start of a flow.
    ///   - sessionId: the session to sign in to.
    /// - Returns: the next step, or the end of the flow. After a wrong password it is a step with an
    ///   ``EmbeddedFlowResponse/error``.
    /// - Throws: ``IAMError`` if the call itself failed. With `sessionExpired` the flow has ended and must be started
    ///   again; after `networkError` and `requestTimeout` the same payload may be tried once more.
    public func signIn(
        payload: EmbeddedSignInPayload, request: EmbeddedFlowRequestConfig, sessionId: String? = nil
    ) async throws -> EmbeddedFlowResponse {
        try await performLoading { try await $0.run(payload, request, sessionID: sessionId) }
    }

    /// Starts a registration in the app, or submits one of its steps, like ``signIn(payload:request:sessionId:)``.
    ///
    /// A registration signs the person in only if ``EmbeddedFlowResponse/establishesSession`` says so.
    /// - Parameters:
    ///   - payload: the step; `nil` starts a registration.
    ///   - request: the flow's application; `nil` for the configured one, or else the client's.
    /// - Throws: ``IAMError``, with `registrationDisabled` if people cannot register.
    public func signUp(
        payload: EmbeddedSignInPayload? = nil, request: EmbeddedFlowRequestConfig? = nil
    ) async throws -> EmbeddedFlowResponse {
        try await performLoading { engine in
            let usual = EmbeddedFlowRequestConfig(
                applicationId: engine.config.applicationId ?? "", flowType: .registration)
            return try await engine.run(payload ?? EmbeddedSignInPayload(), request ?? usual, sessionID: nil)
        }
    }

    /// The server's metadata of an application's flows, unchanged: `i18n` has the texts, `application` the branding.
    /// ``flowTexts(applicationId:language:)`` reads the texts into a type.
    /// - Throws: ``IAMError``.
    public nonisolated(nonsending) func getFlowMeta(
        applicationId: String, language: String = "en-US"
    ) async throws -> [String: Any] {
        try await flowTexts(applicationId: applicationId, language: language).document.mapValues(\.plain)
    }

    /// The texts and the branding of an application's flows. Labels of steps are resolved already.
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

    /// A step translated to the language of ``setLanguage(_:)``, for a form whose language changes while it is shown.
    /// Nothing is submitted.
    /// - Returns: the unchanged step if its texts cannot be fetched.
    public func translated(_ step: EmbeddedFlowResponse) async -> EmbeddedFlowResponse {
        guard let engine = try? engine() else { return step }
        return await engine.texts.translated(step, language: engine.language)
    }

    /// The address to open in a browser, with PKCE, `state` and `nonce`. Several sign-ins can be open at a time. Until
    /// the server's metadata is known, the endpoint's usual path is used.
    ///
    /// Without an `afterSignInUrl` the server uses the redirect URI registered for the client. If several are
    /// registered, its page says that the redirect URI is missing.
    /// - Throws: ``IAMError`` with `invalidConfiguration` without `clientId`, for an option that would override the
    ///   protocol's own parameters, and if the request must be pushed to the server, as only
    ///   ``signInURL(options:sessionId:)`` can.
    public func buildSignInURL(options: SignInOptions? = nil) throws -> URL {
        do {
            return try engine().signInURL(options)
        } catch {
            throw IAMError.documented(error)
        }
    }

    /// The address to open in a browser, like ``buildSignInURL(options:)``, but after discovery, and with the request
    /// pushed if necessary.
    /// - Parameters:
    ///   - options: options of the request.
    ///   - sessionId: the session to sign in to.
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

    /// Signs in on the server's page: opens it, waits for the callback, and begins the session.
    /// - Parameters:
    ///   - options: options of the request.
    ///   - sessionId: the session to sign in to.
    ///   - browser: the browser for the page, by default the system's sheet or browser as in `DefaultWebAuthenticator`.
    /// - Returns: the user.
    /// - Throws: `CancellationError` if the person closes the page; ``IAMError``, with `invalidConfiguration` without
    ///   `clientId`, `afterSignInUrl` or a browser.
    @discardableResult
    public func signInWithBrowser(
        options: SignInOptions? = nil, sessionId: String? = nil,
        browser: (any WebAuthenticator)? = DefaultWebAuthenticator.ofThisSystem
    ) async throws -> User {
        try await performLoading { try await $0.signIn(in: browser, options, for: sessionId) }
    }

    /// Checks the callback, exchanges its code for tokens, and begins the session.
    /// - Parameter url: the whole callback address.
    /// - Returns: the user.
    /// - Throws: ``IAMError`` with `invalidGrant` if the address is not a response to a sign-in of this client or has
    ///   no code, or with the server's refusal.
    @discardableResult
    public func handleRedirectCallback(url: URL) async throws -> User {
        try await performLoading { try await $0.finish(url, for: nil) }
    }

    /// As above, for a named session, even if the app was restarted while the person was in the browser.
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
