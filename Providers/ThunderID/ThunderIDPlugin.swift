import Foundation
import IdentityKit
import IdentityOAuth

/// Makes ThunderID available to configurations as the provider type `thunderid`.
public enum ThunderIDPlugin: ProviderPlugin {
    public static let type = "thunderid"

    /// Makes a ``ThunderIDProvider`` with the system's passkeys and without attestation.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if a setting that the sign-in method needs is missing; an
    ///   error with the code `trusted_certificates_unsupported` if the transport cannot use added certificates, or
    ///   `certificate_invalid` if it cannot read one.
    public static func makeProvider(
        settings: ThunderIDSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        try ThunderIDProvider(
            settings: settings, context: context.trusting(settings.trustedCertificates), passkeys: passkeys)
    }

    /// The system's authenticator for passkeys on iOS, macOS and visionOS; `nil` elsewhere.
    package static var passkeys: (any PasskeyAuthenticator)? {
        #if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
        SystemPasskeyAuthenticator()
        #else
        nil
        #endif
    }

    /// The setup for the tool `identity`. A server is recognized by its document `/flow/meta` with the texts of sign-in pages:
    /// only ThunderID's document has the member `isRegistrationFlowEnabled`. A sign-in on another device is confirmed in a
    /// message.
    public static var setup: PluginSetup {
        let pageTexts = PublishedDocument.below("/flow/meta")
        return PluginSetup(
            addressSetting: "baseURL", published: [pageTexts],
            recognize: { documents in
                documents[pageTexts]?["isRegistrationFlowEnabled"] == nil
                    ? nil : Recognition(["baseURL": .string(documents.base)])
            },
            questions: [
                SettingQuestion("clientID", "The application's client ID, as ThunderID's console shows it."),
                SettingQuestion(
                    "redirectURI", "Where a sign-in returns, exactly as the application has it, if it has several.",
                    standard: .settings([:], called: "its own")),
            ],
            settingsForSignIn: { signIn in
                signIn == .onAnotherDevice ? ["signIn": .string(ThunderIDSettings.SignInMethod.message.rawValue)] : nil
            },
            refusals: [
                "authentication_failed", "user_account_locked", "user_account_disabled", "mfa_required", "mfa_failed",
                "invitation_code_invalid", "invitation_code_expired", "registration_disabled", "recovery_failed",
                "confirmation_code_invalid", "confirmation_code_expired",
            ],
            otherModules: ["ThunderIDSwiftUI"])
    }
}

/// The settings of a ThunderID provider.
public struct ThunderIDSettings: Sendable, Equatable {
    /// The server's base URL, such as `https://id.example.com`.
    public var baseURL: ServerURL
    /// The application's OAuth client identifier. Without one, a native sign-in results in only an assertion, which is
    /// valid for an hour and cannot be refreshed.
    public var clientID: String?
    /// The application's entity identifier, with which native flows start if there is no client identifier.
    public var applicationID: String?
    /// The redirect URI for authorization responses, exactly as registered. The port must match even on loopback. A sign-in
    /// in the browser requires a redirect URI, and a native sign-in only if several are registered.
    public var redirectURI: URL?
    /// The scopes that a sign-in requests, by default ``defaultScopes``.
    public var scopes: [String]
    /// The method of every sign-in, by default ``SignInMethod/native``.
    public var method: SignInMethod
    /// Whether authorization requests are pushed (RFC 9126). With `true`, every request is pushed; with `false`, only if the
    /// server requires it. With `nil`, a request is pushed if the server has the endpoint. If the server then refuses the
    /// pushed request and does not require pushing, a plain request follows.
    public var pushesAuthorizationRequests: Bool?
    /// Whether the tokens of each session are bound to a key of the session (DPoP, RFC 9449), as some applications
    /// require. Requests with a bound token contain a DPoP proof.
    public var bindsTokens: Bool
    /// The rule for sending a refresh token again if it is unknown whether the server has received it. The server ends
    /// a session whose refresh token is used twice. By default, the token is therefore sent again only after the access
    /// token has expired or was refused.
    public var replay = ReplayPolicy.never
    /// The language of labels and messages as a BCP 47 tag; `nil` for the server's own.
    public var language: String?
    /// Whether addresses of this machine may use `http` instead of `https`, for development.
    public var allowsLoopbackHTTP: Bool
    /// Certificates of the server or of its issuer, to trust in addition to the system's. ``ThunderIDPlugin`` passes
    /// them to the transport. ``ThunderIDProvider/init(settings:context:passkeys:attestation:)`` ignores them; use
    /// `ProviderContext.trusting(_:)`.
    public var trustedCertificates: TrustedCertificates?

    /// The methods of signing in, with their names in a configuration.
    public enum SignInMethod: String, Sendable, Equatable, Codable, CaseIterable {
        /// A sign-in in the app. The prompter shows the prompts of the server's flow.
        case native
        /// A sign-in in the browser, on the server's own page.
        case redirect
        /// A sign-in that the person confirms in a message from the server, on another device (OpenID Connect CIBA).
        case message
    }

    /// Creates settings in code. Other settings, such as ``replay``, are set afterwards.
    public init(
        baseURL: ServerURL, clientID: String? = nil, applicationID: String? = nil, redirectURI: URL? = nil,
        scopes: [String] = Self.defaultScopes, method: SignInMethod = .native,
        pushesAuthorizationRequests: Bool? = nil, bindsTokens: Bool = false, language: String? = nil,
        allowsLoopbackHTTP: Bool = false
    ) {
        self.baseURL = baseURL
        self.clientID = clientID
        self.applicationID = applicationID
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.method = method
        self.pushesAuthorizationRequests = pushesAuthorizationRequests
        self.bindsTokens = bindsTokens
        self.language = language
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
    }

    /// The default of ``scopes``. With these scopes, a session has an ID token with the person's name and e-mail address, if
    /// the server's application includes them.
    public static let defaultScopes = ["openid", "profile", "email"]
}

extension ThunderIDSettings: Decodable {
    /// Reads `baseURL`, and optionally `clientID`, `applicationID`, `redirectURI`, `scopes`, `signIn` (`native`,
    /// `redirect` or `message`), `pushesAuthorizationRequests`, `bindsTokens`, `replay`, `language`, `allowsLoopbackHTTP`
    /// and `trustedCertificates`.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        allowsLoopbackHTTP = try settings.allowsLoopbackHTTP()
        baseURL = try ServerURL(
            settings.read(
                "baseURL", .serverURL(allowsLoopbackHTTP: allowsLoopbackHTTP), means: "The server's base address.",
                example: "https://id.example.com"),
            allowsLoopbackHTTP: allowsLoopbackHTTP)
        clientID = try settings.readIfPresent(
            "clientID", .text,
            means: "The application's OAuth client identifier; without it a native sign-in cannot be refreshed.",
            example: "example-app", isUsual: true)
        applicationID = try settings.readIfPresent(
            "applicationID", .text,
            means: "The application's entity identifier, which native flows without a client start with.",
            example: "0198c0de-0000-7000-8000-000000000001")
        redirectURI = try settings.readIfPresent(
            "redirectURI", .redirectURI, means: "Where the browser returns after a sign-in, exactly as registered.",
            example: "com.example.app://callback", isUsual: true)
        scopes = try settings.read(
            "scopes", .scopes, means: "The scopes of a session.", example: ["openid", "email"],
            default: .array(Self.defaultScopes.map(JSONValue.string)))
        method = try settings.read(
            "signIn",
            means: "How a person signs in: in the app, in the browser, or by a message that they confirm elsewhere.",
            example: "redirect", default: "native")
        pushesAuthorizationRequests = try settings.pushesAuthorizationRequests()
        bindsTokens = try settings.read(
            "bindsTokens",
            means: "Whether tokens are bound to a key, for an application that requires it (RFC 9449).",
            example: true, default: false)
        replay = try settings.replay()
        language = try settings.readIfPresent(
            "language", .text,
            means: "The language of labels and messages as a BCP 47 tag; by default the server's own.", example: "de")
        trustedCertificates = try settings.trustedCertificates()
    }
}
