import Foundation
import IdentityKit
import IdentityPresets
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing
import ThunderIDSwiftUI

@testable import InsForge
@testable import ThunderID

extension Specimens {
    private static let context = ProviderContext(name: "work", environment: environment)

    static func providers() throws -> [Any] {
        try thunderID() + flow() + branding() + insForge() + insForgeAnswers() + openIDConnect() + oAuth2()
            + KnownProviders.presets
            + preset()
            + loopback()
    }

    // MARK: Presets

    /// A preset of an app's own, which has a secret where none belongs.
    private static func preset() throws -> [Any] {
        let document: JSONValue = [
            "type": "own", "name": "Own", "base": "oauth2", "page": "https://id.example.com", "date": "2026-01",
            "untried": "", "settings": ["clientSecret": .string(Planted.text)],
            "parameters": [["name": "host", "meaning": "The host.", "example": "id.example.com"]],
        ]
        let preset = try JSONDecoder().decode(ProviderPreset.self, from: JSONEncoder().encode(document))
        return [preset] + preset.parameters
    }

    // MARK: The loopback browser

    private static func loopback() throws -> [Any] {
        let page = try #require(Planted.url)
        let listener = try LoopbackListener.start(for: #require(URL(string: "http://127.0.0.1/callback")))
        listener.expect(WebAuthenticationRequest(url: page, redirectURI: listener.redirectURI))
        return [listener, LoopbackWebAuthenticator { _, _ in }, LoopbackBrowserError.portTaken(1)]
    }

    // MARK: ThunderID

    private static var thunderIDConfiguration: ThunderIDConfig {
        ThunderIDConfig(
            baseUrl: "https://user:\(Planted.text)@id.example.com", clientId: "app",
            signInUrl: Planted.url?.absoluteString, signUpUrl: Planted.url?.absoluteString, clientSecret: Planted.text,
            signInOptions: ["extra": Planted.text], signOutOptions: ["extra": Planted.text],
            signUpOptions: ["extra": Planted.text],
            storage: InMemoryStorageAdapter())
    }

    private static func thunderID() throws -> [Any] {
        let settings = ThunderIDSettings(
            baseURL: try ServerURL("https://id.example.com"), clientID: "app",
            redirectURI: URL(string: "com.example.app:/callback"))
        let bytes = Data(Planted.text.utf8)
        return [
            settings, thunderIDConfiguration, try ThunderIDProvider(settings: settings, context: context),
            ThunderIDClient(environment: environment), InMemoryStorageAdapter(),
            KeychainStorageAdapter(FakeKeychain(), service: "test"),
            EmbeddedSignInPayload(
                flowId: "1", actionId: "a", inputs: ["password": Planted.text], challengeToken: Planted.text),
            EmbeddedFlowRequestConfig(applicationId: "1"),
            TokenExchangeRequestConfig(subjectToken: Planted.text, actorToken: Planted.text),
            TokenResponse(
                accessToken: Planted.text, tokenType: "Bearer", refreshToken: Planted.text, idToken: Planted.token),
            ThunderID.User(sub: "ada", claims: ["extra": AnyCodable(Planted.text)]),
            ThunderID.UserProfile(id: "ada", claims: ["extra": AnyCodable(Planted.text)]), AnyCodable("text"),
            SignInOptions(extra: ["extra": Planted.text]),
            SignOutOptions(idTokenHint: Planted.token, extra: ["extra": Planted.text]),
            SignUpOptions(extra: ["extra": Planted.text]), TokenValidationConfig(),
            PasskeyAssertion(credentialID: bytes, clientDataJSON: bytes, authenticatorData: bytes, signature: bytes),
            PasskeyRegistration(credentialID: bytes, clientDataJSON: bytes, attestationObject: bytes),
            try PasskeyRequest(passkey), try PasskeyCreation(passkey), FlowTexts(), PasswordChangedError(),
            try #require(FlowLink(try link("https://id.example.com/invite?executionId=1&inviteToken=\(Planted.text)"))),
        ]
    }

    private static let passkey = #"""
        {"challenge": "\#(Planted.signature)", "rpId": "id.example.com", "rp": {"id": "id.example.com", "name": "Example"},
        "user": {"id": "YWRh", "name": "ada", "displayName": "Ada"},
        "pubKeyCredParams": [{"type": "public-key", "alg": -7}]}
        """#

    private static func link(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private static func flow() throws -> [Any] {
        let rule = FlowValidationRule(type: "REGEX", value: AnyCodable("."), message: "No.")
        let input = FlowInput(name: "password", type: "PASSWORD_INPUT", validation: [rule])
        let action = FlowAction(id: "go", eventType: "TRIGGER", icon: Planted.url?.absoluteString)
        let data = FlowStepData(
            actions: [action], inputs: [input],
            meta: FlowMeta(["components": [["id": "go", "type": "ACTION"]]], texts: nil),
            additionalData: ["inviteLink": AnyCodable(Planted.text)], redirectURL: Planted.url?.absoluteString,
            headings: ["Sign in"],
            paragraphs: [
                FlowParagraph(parts: [FlowParagraph.Part(text: "Forgot password?", address: Planted.url)])
            ],
            copyables: [FlowCopyable(label: "Link", text: Planted.text)])
        let redirection = FlowRedirection(
            try link("https://idp.example.com/authorize?state=\(Planted.text)&redirect_uri=https://id.example.com"),
            providerName: "Example")
        let question = ConsentQuestion(#"[{"purposeName": "p", "essential": ["email"], "optional": []}]"#)
        let code = FlowStepData(
            actions: nil, inputs: [FlowInput(name: "otp", type: "OTP_INPUT")], meta: nil, additionalData: nil,
            redirectURL: nil, headings: [], paragraphs: [], copyables: [])
        return [
            rule, input, action, data, try #require(data.meta), try #require(data.meta?.components?.first),
            try #require(data.paragraphs.first), try #require(data.copyables.first),
            try #require(redirection),
            EmbeddedFlowResponse(
                flowId: "1", flowStatus: .promptOnly, type: "VIEW", data: data, assertion: Planted.token,
                challengeToken: Planted.text, establishesSession: true, error: nil),
            try #require(question), try #require(OneTimeCodeFormat(code)),
        ]
    }

    // MARK: InsForge

    private static func insForge() throws -> [Any] {
        let baseURL = try ServerURL("https://example.insforge.app")
        let settings = InsForgeSettings(baseURL: baseURL, anonKey: "public", method: .password)
        let client = InsForgeClient(
            baseURL: baseURL.url, anonKey: "public",
            options: InsForgeClientOptions(
                auth: .init(storage: InMemoryAuthStorage()), global: .init(headers: ["X-Secret": Planted.text])))
        let callback = try link("example://callback?insforge_code=\(Planted.text)")
        return [
            settings, settings.method, InsForgeProvider(settings: settings, context: context), client, client.auth,
            InsForgeClientOptions(global: .init(headers: ["X-Secret": Planted.text])), RetryConfiguration(),
            KeychainAuthStorage(), InMemoryAuthStorage(), SharedAuthStorage(store),
            try InsForgeCallback(callback, redirectURI: link("example://callback")), LogDestination.osLog,
            IDTokenSignIn.google(token: Planted.secret), AppleNonce(raw: Planted.secret),
            InsForgeAuthError.MailedLink.passwordReset(token: Planted.secret),
        ]
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    private static func insForgeAnswers() throws -> [Any] {
        let user = #"""
            {"id": "ada", "email": "ada@example.org", "emailVerified": true, "createdAt": "c", "updatedAt": "u",
            "profile": {"name": "Ada", "extra": "\#(Planted.text)"}, "metadata": {"extra": "\#(Planted.text)"}}
            """#
        let ada = try decode(InsForge.User.self, user)
        let session = #"{"user": \#(user), "accessToken": "\#(Planted.token)", "refreshToken": "\#(Planted.text)"}"#
        var credential = credential
        credential.details = ["user": try JSONValue(parsing: Data(user.utf8))]
        let opened = InsForge.Session(credential)
        return [
            ada, try #require(ada.profile), AuthResponse(user: ada, credential),
            try #require(opened), InsForgeAuthEvent.signedIn(ada),
            SignInResponse(try decode(SessionResponse.self, session)), try decode(SignUpResponse.self, session),
            try decode(ResetPasswordTokenResponse.self, #"{"token": "\#(Planted.text)", "expiresAt": null}"#),
            try decode(PublicConfig.self, #"{"oAuthProviders": [], "customOAuthProviders": []}"#),
            try decode(AnonKeyRotation.self, #"{"anonKey": "\#(Planted.text)"}"#),
            try decode(Profile.self, #"{"id": "ada", "profile": {"extra": "\#(Planted.text)"}}"#),
        ]
    }

    // MARK: OpenID Connect

    private static func openIDConnect() throws -> [Any] {
        var settings = OpenIDConnectSettings(
            issuer: "https://user:\(Planted.text)@id.example.com", clientID: "app",
            authentication: .clientSecretBasic(Planted.secret), redirectURI: Planted.url,
            postLogoutRedirectURI: Planted.url)
        settings.authorizationParameters = ["extra": Planted.text]
        settings.tokenParameters = ["extra": Planted.text]
        settings.endpoints = [.token: try #require(Planted.url)]
        return [settings, OAuthSessionProvider(settings.server, context: context)]
    }

    private static func oAuth2() throws -> [Any] {
        let account = AccountSource.tokenResponse(identifier: "owner.id")
        var server = OAuthServer(
            type: OAuth2Plugin.type, issuer: "https://user:\(Planted.text)@id.example.com",
            client: OAuthClient(id: "app", authentication: .clientSecretBasic(Planted.secret)), account: account)
        server.tokenParameters = [FormField("extra", Planted.text)]
        let resource = ProtectedResourceSettings(
            resource: try #require(URL(string: "https://user:\(Planted.text)@api.example.com/notes")),
            client: server.client)
        let workload = WorkloadSettings(.server(server, .signedJWT(claims: ["tenant": .string(Planted.text)])))
        return [
            account, OAuth2Settings(server), resource, OAuthSessionProvider(resource.server, context: context),
            workload, WorkloadProvider(workload.source, context: context),
        ]
    }

    private static func branding() throws -> [Any] {
        let picture = try #require(Planted.url)
        let spec = AvatarSpec(shape: .circle, variant: .twoLetter, content: "AB", colors: 1)
        return [
            resolveLogoSpec(picture.absoluteString), spec, generateAvatar(spec),
            PersonAvatar(
                ThunderID.User(
                    sub: "ada", displayName: "Ada", profilePicture: "https://id.example.com/a?token=\(Planted.text)")),
        ]
    }

    @MainActor private static func profileForm(_ client: ThunderIDClient) -> ProfileForm {
        let form = ProfileForm(client: client)
        form.setValue(Planted.text, for: "given_name")
        return form
    }

    /// What lives on the main actor.
    @MainActor static func observedProviders() -> [Any] {
        let flow = SignInFlow(applicationId: "1")
        flow.setValue(Planted.text, for: "password")
        let client = ThunderIDClient(environment: environment)
        return [
            flow, SignInHandlers(), ThunderIDState(client: client, config: thunderIDConfiguration),
            SignInFlow.Outcome.signedIn, SignInFlow.PrimaryAction.proceed, ThunderIDI18n(language: "en"),
            ThunderIDTexts(language: "en"), profileForm(client), ThunderIDState.Presence.signedIn,
        ]
    }
}
