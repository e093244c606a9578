import Foundation
import IdentityKit
import IdentityOAuth

/// An InsForge project as an identity provider.
///
/// Sessions are stored in the shared store of the app. The InsForge server keeps no sessions: a sign-out removes the
/// tokens from the store, but they stay valid at the server until they expire.
public final class InsForgeProvider: SessionBackedProvider {
    private let settings: InsForgeSettings
    private let engine: InsForgeEngine

    /// The sessions of this provider in the shared store. The realm of their accounts is the provider's name.
    public var sessions: ProviderSessions { engine.sessions }

    private var environment: IdentityEnvironment { engine.environment }
    private var api: InsForgeAPI { engine.api }

    /// Creates a provider. No request is sent.
    public init(settings: InsForgeSettings, context: ProviderContext) {
        self.settings = settings
        engine = InsForgeEngine(
            api: InsForgeAPI(
                baseURL: settings.baseURL, anonKey: Locked(settings.anonKey), transport: context.environment.transport),
            realm: context.name, environment: context.environment)
    }

    /// Signs in by the configured method. If the e-mail address is not verified, the prompter asks the person to enter
    /// the code from the verification mail, or to open the link in it.
    /// - Returns: the account; `nil` if the method needs a prompter, a browser or a redirect URI that is missing.
    /// - Throws: ``InsForgeAuthError``, ``/IdentityCore/TokenStoreError``, an error with the code
    ///   `randomness_unavailable`, or what the prompter, the browser or the device's own sign-in throws, such as
    ///   `CancellationError` when the user gives up.
    public func signIn(in context: CallerContext) async throws -> AccountID? {
        switch settings.method {
        case .password:
            guard let prompter = environment.prompter else { return nil }
            let signIn = PasswordSignIn(
                api: api, prompter: prompter, providerName: engine.realm, verification: verification(by: prompter))
            return try await engine.begin(await signIn.session())
        case .mailedCode:
            guard let prompter = environment.prompter else { return nil }
            let signIn = MailedCodeSignIn(
                api: api, prompter: prompter, providerName: engine.realm, time: environment.time)
            return try await engine.begin(await signIn.session())
        case .oauth(let provider) where native != nil: return try await beginSession(by: native, at: provider)
        case .oauth(let provider) where canOpenPage: return try await beginSession(of: .builtIn(provider))
        case .customOAuth(let key) where canOpenPage: return try await beginSession(of: OAuthProviderKey(custom: key))
        case .oauth, .customOAuth: return nil
        }
    }

    /// The form of the sign-in: questions for a password or a mailed code, or the page of an OAuth provider.
    public var signInForm: SignInForm? {
        switch settings.method {
        case .password, .mailedCode: .questions
        case .oauth, .customOAuth: .foreignPage
        }
    }

    /// The device's own sign-in at the configured OAuth provider, Apple or Google; `nil` if there is none.
    private var native: NativeSignIn? { environment.nativeSignIn(at: nativeVendor) }

    private func beginSession(by native: NativeSignIn?, at provider: OAuthProvider) async throws -> AccountID? {
        guard let native else { return nil }
        let bound: NativeSignIn.BoundAnswer
        do {
            bound = try await native.boundAnswer(random: environment.random)
        } catch let error as OAuthError {
            throw InsForgeAuthError.idTokenRefused(error.message)
        }
        let answer = bound.answer
        let token: IDTokenSignIn =
            provider == .apple
            ? .apple(token: answer.token, nonce: AppleNonce(raw: bound.nonce), name: answer.profile?.displayName)
            : .google(token: answer.token)
        return try await engine.begin(
            await api.createSession(with: token), details: NativeGrant.detail(native.vendor, answer))
    }

    private var canOpenPage: Bool { environment.webAuthenticator != nil && settings.redirectURI != nil }

    /// Checks that the account has a usable session, and refreshes it if necessary. `scopes` and `deviceToken` are ignored,
    /// because InsForge supports neither.
    /// - Returns: always `nil`.
    /// - Throws: ``/IdentityCore/SessionError`` without a session, ``/IdentityCore/TokenStoreError``, or the error of a
    ///   refresh.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await sessions.credential(for: accountID, scopes: [])
        return nil
    }

    /// Removes the session from the store, and sends the sign-out to the server. If the server cannot be reached, the
    /// event `session.not_revoked` reports that.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func signOut(_ accountID: AccountID) async throws {
        guard try await sessions.end(accountID) != nil else { return }
        await engine.sendEnd(of: accountID)
    }

    /// Creates an account, and signs the user in if the project needs no verification. Otherwise the prompter, if there
    /// is one, asks the person to enter the mailed code or to open the mailed link. Then the user is signed in.
    ///
    /// The address stays unverified if there is no prompter, if the person gives up, or if the server fails before it tells
    /// whether it mails codes or links. In these cases the account stays, and the result has no session. If, in addition, the
    /// server could not send the verification mail, the call throws ``InsForgeAuthError/verificationMailFailed`` instead. The
    /// next sign-in by ``signIn(in:)`` with the password asks for the verification again.
    /// - Throws: ``InsForgeAuthError``; ``/IdentityCore/TokenStoreError``; `CancellationError` when the task is cancelled;
    ///   or any other error of the prompter.
    public func signUp(email: String, password: String, name: String? = nil) async throws -> SignUpResponse {
        let password = Secret(password)
        do {
            let response = try await api.signUp(
                email: email, password: password, name: name, redirectTo: mailRedirectURI?.absoluteString)
            if let session = SessionResponse(response) {
                try await engine.begin(session)
                return response
            }
            return try await verified(email, password, after: nil) ?? response
        } catch InsForgeAuthError.verificationMailFailed {
            // The account exists, and sending another mail may work.
            let problem = InsForgeAuthError.verificationMailFailed
            guard let response = try await verified(email, password, after: problem.message) else { throw problem }
            return response
        }
    }

    /// Completes a sign-up by verifying the address.
    /// - Returns: the result with the session; `nil` without a prompter, if the person gives up, or if the server does not
    ///   tell now whether it mails codes or links.
    private func verified(
        _ email: String, _ password: Secret, after problem: String?
    ) async throws -> SignUpResponse? {
        guard let prompter = environment.prompter else { return nil }
        let verification = verification(by: prompter)
        let mailsLinks: Bool
        do {
            mailsLinks = try await verification.mailsLinks()
        } catch is InsForgeAuthError {
            return nil
        }
        do {
            let session = try await verification.session(
                email: email, password: password, after: problem, mailsLinks: mailsLinks)
            try await engine.begin(session)
            return SignUpResponse(session)
        } catch is CancellationError where !Task.isCancelled {
            return nil
        }
    }

    private func verification(by prompter: any FlowPrompter) -> AddressVerification {
        AddressVerification(
            api: api, prompter: prompter, providerName: engine.realm, redirectURI: mailRedirectURI,
            time: environment.time)
    }

    /// The target of mailed links, from the settings; `nil` without a valid one. Required if the project mails links.
    private var mailRedirectURI: URL? { settings.redirectURI.flatMap { try? RedirectAddress($0).url } }

    /// Verifies an address with the code from the mail, which signs the user in.
    /// - Throws: ``InsForgeAuthError``, ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    @discardableResult
    public func verifyEmail(email: String, code: String) async throws -> AccountID {
        try await engine.begin(await api.verifyEmail(email: email, code: Secret(code)))
    }

    /// Sends another verification mail, after which the earlier code or link stops working. A link returns to the redirect
    /// URI of the settings.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    public func resendVerificationEmail(email: String) async throws {
        try await api.sendVerification(email: email, redirectTo: mailRedirectURI?.absoluteString)
    }

    /// Mails a sign-in code that is valid for five minutes, to be passed to ``signIn(email:code:name:)``.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    public func sendSignInCode(email: String) async throws {
        try await api.sendSignInCode(email: email)
    }

    /// Signs in with a mailed code. An unknown address gets an account with the display name `name`, if the project
    /// accepts new users.
    /// - Throws: ``InsForgeAuthError``, ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    @discardableResult
    public func signIn(email: String, code: String, name: String? = nil) async throws -> AccountID {
        try await engine.begin(await api.createSession(email: email, code: Secret(code), name: name))
    }

    /// Signs in with e-mail address and password, without the prompter. An unverified address is an error.
    /// - Throws: ``InsForgeAuthError``, ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    @discardableResult
    public func signIn(email: String, password: String) async throws -> AccountID {
        try await engine.begin(await api.createSession(email: email, password: Secret(password)))
    }

    /// Signs in on the page of an OAuth provider, which needs a browser and the setting `redirectURI`.
    /// - Throws: ``InsForgeAuthError``, ``/IdentityCore/TokenStoreError``, an error with the code
    ///   `randomness_unavailable`, or what the browser throws, such as `CancellationError` when the user closes the
    ///   page.
    @discardableResult
    public func signIn(with provider: OAuthProvider) async throws -> AccountID {
        try await beginSession(of: .builtIn(provider))
    }

    /// Signs in on the page of a custom OAuth provider, which needs a browser and the setting `redirectURI`.
    /// - Parameter key: the provider's key in the project.
    /// - Throws: ``InsForgeAuthError``, ``/IdentityCore/TokenStoreError``, an error with the code
    ///   `randomness_unavailable`, or what the browser throws, such as `CancellationError` when the user closes the
    ///   page.
    @discardableResult
    public func signIn(withProviderKey key: String) async throws -> AccountID {
        try await beginSession(of: OAuthProviderKey(custom: key))
    }

    private func beginSession(of provider: OAuthProviderKey) async throws -> AccountID {
        guard let webAuthenticator = environment.webAuthenticator else {
            throw InsForgeAuthError.notConfigured("There is no browser to open the sign-in page with.")
        }
        guard let redirectURI = settings.redirectURI else {
            throw InsForgeAuthError.notConfigured("Set redirectURI, where the sign-in page returns to.")
        }
        let signIn = OAuthSignIn(api: api, webAuthenticator: webAuthenticator, random: environment.random)
        return try await engine.begin(
            await signIn.session(of: provider, redirectTo: try RedirectAddress(redirectURI)))
    }
}

extension InsForgeProvider: NativelySigningIn {
    package var nativeVendor: String? {
        if case .oauth(let provider) = settings.method, [.apple, .google].contains(provider) {
            provider.rawValue
        } else {
            nil
        }
    }
}

extension InsForgeProvider: ServerExamining {
    /// Fetches the project's public settings to check that the server responds. A sign-in with a password would reveal an
    /// unreachable server only after the person has entered the password.
    /// - Returns: the address of the server.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    public func examineServer() async throws -> ExaminedServer? {
        _ = try await api.publicConfig()
        return ExaminedServer(address: api.baseURL.description)
    }
}
