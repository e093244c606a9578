import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

/// The provider at servers that this project did not write. Their peculiarities are not worked around: what the RFCs allow is accepted.
@Suite("Foreign OpenID Connect servers", .serialized, .enabled(if: ForeignServer.isRunning))
struct ForeignServerSessionTests {
    static let names = ["canaille", "django-allauth"]

    @Test(
        "Discovery, code and PKCE, ID token, user info, refresh, revocation and end-session", arguments: names,
        [false, true])
    func wholeSession(name: String, isConfidential: Bool) async throws {
        let visit = try ForeignVisit(.named(name), isConfidential: isConfidential)
        let provider = visit.provider()
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        let token = try await provider.accessToken(for: account, scopes: ["openid", "email"])
        let person = try await provider.userInfo(for: account)
        #expect(person.subject == account.account)
        #expect(person.claims["email"]?.stringValue == visit.server.user.email)

        // Not told by another token: a server may mint the same one twice within a second.
        let refreshed = try await provider.accessToken(
            for: account, scopes: [], resource: nil, freshness: .other(than: token))
        #expect(try await visit.store.record(for: .account(account))?.generation == 2)
        #expect(try await provider.userInfo(for: account).subject == account.account)

        try await provider.signOut(account)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        #expect(visit.signedOutAt.withLock { $0 }?.absoluteString.hasPrefix(visit.server.postLogoutRedirectURI) == true)
        // Canaille revokes nothing for a client without credentials.
        let isRevoked = isConfidential || name != "canaille"
        #expect(try await visit.knows(refreshed, of: account) != isRevoked)
    }

    @Test("A sign-in that an app restart interrupted is finished by the callback alone", arguments: names)
    func restart(name: String) async throws {
        let visit = try ForeignVisit(.named(name))
        let interrupted = visit.provider(browser: ScriptedBrowser { throw StoppedAt(page: $0) })
        let stop = await #expect(throws: StoppedAt.self) {
            try await interrupted.signIn(scopes: [], deviceToken: "d")
        }
        let callback = try await visit.login.signIn(at: #require(stop?.page))
        let account = try await visit.provider().finishSignIn(callback)
        #expect(try await visit.provider().silentAccount(scopes: [], deviceToken: "d").account == account)
        let error = await #expect(throws: OAuthError.self) { try await visit.provider().finishSignIn(callback) }
        #expect(error?.failureCode == "callback_flow_over")
    }

    @Test(
        "A refusal by the person is an error of its own, also in a response that lacks the promised issuer (RFC 9207 section 2.4)",
        arguments: names)
    func refusal(name: String) async throws {
        let visit = try ForeignVisit(.named(name))
        // What the buttons that refuse are called.
        let answers = visit.server.answers.merging(["answer": "deny", "action": "cancel"]) { $1 }
        let party = try await visit.relyingParty()
        let redirectURI = try #require(URL(string: visit.server.redirectURI))
        var request = try party.authorizationRequest(redirectURI: redirectURI, scopes: ["openid"])
        // Consent given elsewhere is remembered.
        request.prompt = [.consent]
        let callback = try await ScriptedLogin(answers: answers.mapValues { Secret($0) }).signIn(at: request.url)
        let error = await #expect(throws: OAuthError.self) {
            try await party.redeem(callback, for: request.pending)
        }
        #expect(error?.failureCode == "access_denied")
    }

    @Test("An ID token of every algorithm a server signs by begins a session", arguments: names)
    func algorithms(name: String) async throws {
        let server = try ForeignServer.named(name)
        for (algorithm, clientID) in server.algorithmClients {
            let visit = ForeignVisit(server, clientID: clientID)
            let party = try await visit.relyingParty()
            let redirectURI = try #require(URL(string: server.redirectURI))
            let request = try party.authorizationRequest(redirectURI: redirectURI, scopes: ["openid"])
            let callback = try await visit.login.signIn(at: request.url)
            let tokens = try await party.redeem(callback, for: request.pending)
            let idToken = try JSONWebToken(#require(tokens.idToken).encoded)
            #expect(idToken.algorithm == algorithm)
        }
    }

    @Test("A wrong code verifier is refused by the server (RFC 7636 section 4.6)", arguments: names)
    func wrongVerifier(name: String) async throws {
        let visit = try ForeignVisit(.named(name))
        let party = try await visit.relyingParty()
        let redirectURI = try #require(URL(string: visit.server.redirectURI))
        let request = try party.authorizationRequest(redirectURI: redirectURI, scopes: ["openid"])
        let other = try party.authorizationRequest(redirectURI: redirectURI, scopes: ["openid"])
        let callback = try await visit.login.signIn(at: request.url)
        let code = try AuthorizationResponse(callbackURL: callback).authorizationCode(for: request.pending, at: Date())
        let error = await #expect(throws: OAuthError.self) {
            try await TokenRequest(
                .authorizationCode(code, pending: other.pending),
                tokenEndpoint: party.metadata.endpoint(.token),
                client: party.client
            ).send(using: DefaultTransport.make())
        }
        #expect(error?.failureCode == "invalid_grant")
    }

    @Test("A denied device sign-in is an error of its own (RFC 8628 section 3.5)")
    func deniedDevice() async throws {
        let visit = try ForeignVisit(.named("django-allauth"))
        let answers = try #require(visit.server.deviceAnswers).merging(["action": "deny"]) { $1 }
        let presenter = DecidedCode { code in
            try await ScriptedLogin(answers: answers.mapValues { Secret($0) }).decideOnDevice(
                at: code.verificationURIComplete ?? code.verificationURI, userCode: code.userCode)
        }
        let provider = visit.provider(presenter: presenter, method: .device)
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureCode == "access_denied")
    }

    @Test("A code entered on another device becomes a session (RFC 8628)")
    func deviceFlow() async throws {
        let visit = try ForeignVisit(.named("django-allauth"))
        let answers = try #require(visit.server.deviceAnswers).mapValues { Secret($0) }
        let presenter = DecidedCode { code in
            try await ScriptedLogin(answers: answers).decideOnDevice(
                at: code.verificationURIComplete ?? code.verificationURI, userCode: code.userCode)
        }
        let provider = visit.provider(presenter: presenter, method: .device)
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        #expect(try await provider.userInfo(for: account).claims["email"]?.stringValue == visit.server.user.email)
        try await provider.signOut(account)
    }
}

/// One person at one foreign server, with a store of their own.
private struct ForeignVisit: Sendable {
    let server: ForeignServer
    let store = MemoryTokenStore()
    let login: ScriptedLogin
    /// Where the browser was after a sign-out.
    let signedOutAt = Locked<URL?>(nil)

    private let clientID: String
    private let authentication: ClientAuthentication
    private let leave: ScriptedLogin

    init(_ server: ForeignServer, clientID: String? = nil, isConfidential: Bool = false) {
        self.server = server
        self.clientID = clientID ?? (isConfidential ? server.confidentialClient : server.publicClient).clientID
        let secret = isConfidential ? server.confidentialClient.clientSecret : nil
        authentication = secret.map { .clientSecretBasic(Secret($0)) } ?? .none
        login = ScriptedLogin(answers: server.answers.mapValues { Secret($0) })
        leave = ScriptedLogin(answers: (server.signOutAnswers ?? [:]).mapValues { Secret($0) }, sharing: login)
    }

    func provider(
        browser: (any WebAuthenticator)? = nil, presenter: (any DeviceCodePresenter)? = nil,
        method: OpenIDConnectSettings.SignInMethod = .browser
    ) -> OAuthSessionProvider {
        let settings = OpenIDConnectSettings(
            issuer: server.issuer, clientID: clientID, authentication: authentication,
            scopes: ["openid", "profile", "email"], redirectURI: URL(string: server.redirectURI),
            postLogoutRedirectURI: URL(string: server.postLogoutRedirectURI), method: method,
            transportSecurity: .loopbackHTTPAllowed)
        // The person decides before the device's first question, so its pauses can be left out.
        let time = method == .device ? TimeSource(now: { Date() }, sleep: { _ in }) : .system
        let environment = IdentityEnvironment(
            store: store, webAuthenticator: browser ?? self.browser, deviceCodePresenter: presenter, time: time)
        return OAuthSessionProvider(
            settings.server, context: ProviderContext(name: server.name, environment: environment))
    }

    func relyingParty() async throws -> RelyingParty {
        let transport = DefaultTransport.make()
        return RelyingParty(
            metadata: try await Discovery.discover(
                issuer: server.issuer, using: transport, transportSecurity: .loopbackHTTPAllowed),
            client: OAuthClient(
                id: clientID, authentication: authentication, transportSecurity: .loopbackHTTPAllowed),
            transport: transport)
    }

    /// Whether the server still takes an access token.
    func knows(_ token: String, of account: AccountID) async throws -> Bool {
        let party = try await relyingParty()
        do {
            _ = try await UserInfoRequest(
                userinfoEndpoint: party.metadata.endpoint(.userinfo), accessToken: Secret(token),
                client: party.client
            ).send(
                using: DefaultTransport.make(), subject: account.account, issuer: party.validator.issuer,
                keys: #require(party.keys))
            return true
        } catch is OAuthError {
            return false
        }
    }

    private var browser: ScriptedBrowser {
        ScriptedBrowser { [login, leave, signedOutAt] page in
            guard try CallbackURL(page)["post_logout_redirect_uri"] != nil else {
                return try await login.signIn(at: page)
            }
            let landing = try await leave.visit(page).url
            signedOutAt.withLock { $0 = landing }
            return landing
        }
    }
}

/// A person who decides as soon as the code is shown.
private struct DecidedCode: DeviceCodePresenter {
    let decide: @Sendable (DeviceCode) async throws -> Void

    func show(_ code: DeviceCode) async throws {
        try await decide(code)
    }
}
