import Foundation
import IdentityKit
import IdentityOAuth

/// Makes ThunderID available to configurations as the provider type `thunderid`.
public enum ThunderIDPlugin: ProviderPlugin {
    public static let type = "thunderid"

    /// Builds a provider.
    /// - Throws: ``IAMError`` if the settings do not fit together, ``/IdentityKit/TrustedCertificatesError``.
    public static func makeProvider(
        settings: ThunderIDSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        try ThunderIDProvider(
            settings: settings, context: context.trusting(settings.trustedCertificates), passkeys: passkeys)
    }

    /// The system's authenticator for passkeys; `nil` if the system has none.
    package static var passkeys: (any PasskeyAuthenticator)? {
        #if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
        SystemPasskeyAuthenticator()
        #else
        nil
        #endif
    }

    public static let addressSetting: String? = "baseURL"

    private static let pageTexts = PublishedDocument.below("/flow/meta")

    /// The document by which a server is recognized: the texts of sign-in pages, which only ThunderID has.
    public static let published = [pageTexts]

    /// Recognizes a server whose texts tell whether people can register.
    public static func recognize(_ documents: PublishedDocuments) -> Recognition? {
        documents[pageTexts]?["isRegistrationFlowEnabled"] == nil
            ? nil : Recognition(["baseURL": .string(documents.base)])
    }

    /// Questions for the application's client ID and its redirect URI.
    public static let questions = [
        SettingQuestion("clientID", "The application's client ID, as ThunderID's console shows it."),
        SettingQuestion(
            "redirectURI", "Where a sign-in returns, exactly as the application has it, if it has several.",
            standard: .settings([:], called: "its own")),
    ]

    /// The settings that select the sign-in by a message.
    public static func settings(for signIn: RequestedSignIn) -> [String: JSONValue]? {
        signIn == .onAnotherDevice ? ["signIn": .string(ThunderIDSettings.SignInMethod.message.rawValue)] : nil
    }

    /// Codes with which a flow refuses a person.
    public static let refusals: Set = [
        "authentication_failed", "user_account_locked", "user_account_disabled", "mfa_required", "mfa_failed",
        "invitation_code_invalid", "invitation_code_expired", "registration_disabled", "recovery_failed",
        "confirmation_code_invalid", "confirmation_code_expired",
    ]

    /// The modules of the client and of its views.
    public static let modules: Set = ["ThunderID", "ThunderIDSwiftUI"]
}

/// The settings of a ThunderID provider.
public struct ThunderIDSettings: Sendable, Equatable {
    /// The server's base URL, such as `https://id.example.com`.
    public var baseURL: ServerURL
    /// The application's OAuth client identifier. Without one, a native sign-in gives only an assertion, which is valid
    /// for an hour and cannot be refreshed.
    public var clientID: String?
    /// The application's identifier, with which native flows start if there is no client identifier.
    public var applicationID: String?
    /// The redirect URI for authorization responses, exactly as registered; the port must match even on loopback. Not
    /// needed for a native sign-in, unless several are registered.
    public var redirectURI: URL?
    /// The scopes of a session.
    public var scopes: [String]
    /// How a user signs in.
    public var method: SignInMethod
    /// Whether authorization requests are pushed (RFC 9126): `true` always, `false` only if the server requires it,
    /// `nil` if the server has the endpoint, with a plain request if it refuses the pushed one.
    public var pushesAuthorizationRequests: Bool?
    /// Whether tokens are bound to a key (RFC 9449), one for each session, for an application that requires it. Every request
    /// with such a token needs a proof.
    public var bindsTokens: Bool
    /// Whether a refresh token may be sent again if it is unknown whether it was spent. Never by default, because the
    /// server ends a session whose refresh token is used twice.
    public var replay = ReplayPolicy.never
    /// The language of labels and messages as a BCP 47 tag; `nil` for the server's own.
    public var language: String?
    /// Whether plain `http` to this machine is accepted.
    public var allowsLoopbackHTTP: Bool
    /// Additional certificate authorities to trust. The plug-in passes them to the transport; for a provider made in
    /// code, use `ProviderContext.trusting(_:)`.
    public var trustedCertificates: TrustedCertificates?

    /// How a user signs in.
    public enum SignInMethod: String, Sendable, Equatable, Codable, CaseIterable {
        /// In the app: the prompter shows the prompts of the server's flow.
        case native
        /// In the browser, on the server's own page.
        case redirect
        /// On another device, where the person confirms a message of the server (OpenID Connect CIBA).
        case message
    }

    /// Creates settings in code.
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

    /// The scopes of a session by default.
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
