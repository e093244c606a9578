import Foundation
import IdentityKit

/// Makes InsForge available to configurations as the provider type `insforge`.
public enum InsForgePlugin: ProviderPlugin {
    public static let type = "insforge"

    /// Creates a provider. Its transport also trusts a server whose certificate is one of the configured certificates or was
    /// issued by one of them. An app's own `HTTPTransport` is used as it is, without the configured certificates.
    /// - Throws: an error with the code `trusted_certificates_unsupported` if a transport of this package cannot use added
    ///   certificates, such as `URLSessionTransport` on Linux; or with the code `certificate_invalid` if the transport cannot
    ///   read a certificate.
    public static func makeProvider(
        settings: InsForgeSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        InsForgeProvider(settings: settings, context: try context.trusting(settings.trustedCertificates))
    }

    /// The setup for the tool `identity`. A project is recognized by its public configuration. The `refusals` are the error
    /// codes for which a command ends with the exit status of a refused sign-in. They report a definitive error about the
    /// person, such as a wrong password, or that the person cancelled.
    public static var setup: PluginSetup {
        let publicConfiguration = PublishedDocument.below("/api/auth/public-config")
        return PluginSetup(
            addressSetting: "baseURL", published: [publicConfiguration],
            recognize: { documents in
                documents[publicConfiguration].map { _ in Recognition(["baseURL": .string(documents.base)]) }
            },
            refusals: [
                "invalid_credentials", "user_not_found", "email_not_verified", "user_already_exists", "signup_disabled",
                "weak_password", "invalid_code", "id_token_refused", "oauth_failed", "forbidden", "cancelled",
                "mailed_link",
            ])
    }
}

/// The settings of an ``InsForgeProvider``, made in code or decoded from a configuration.
public struct InsForgeSettings: Sendable, Equatable {
    /// The project's base URL, such as `https://example.insforge.app`.
    public var baseURL: ServerURL
    /// The project's public anonymous key, which sign-up needs.
    public var anonKey: String?
    /// The method by which a user signs in. A password and a mailed code need a prompter. An OAuth sign-in needs a browser
    /// and ``redirectURI``, unless the device itself can sign in at the provider.
    public var method: SignInMethod
    /// The redirect URI of OAuth sign-ins and mailed links. Required for a sign-in on the page of an OAuth provider, and
    /// for a project that verifies addresses by link.
    public var redirectURI: URL?
    /// Certificates to trust in addition to the system's: those of servers, or of authorities that issued a server's
    /// certificate. The plug-in passes them to the transport; for a provider made in code, use `ProviderContext.trusting(_:)`.
    public var trustedCertificates: TrustedCertificates?

    /// A method of signing in, selected by the settings `signIn`, `oauthProvider` and `oauthProviderKey`.
    public enum SignInMethod: Sendable, Equatable {
        /// The e-mail address and the password, for which the prompter asks.
        case password
        /// The e-mail address and a mailed code, for which the prompter asks. An unknown address gets an account if the
        /// project accepts new users. Servers before July 2026 do not support this method.
        case mailedCode
        /// The page of an OAuth provider in the browser. For Apple and Google, the device's own sign-in is used instead if
        /// there is one.
        case oauth(OAuthProvider)
        /// The page of a custom OAuth provider of the project. The text is the provider's key, of 1 to 64 characters.
        case customOAuth(String)
    }

    /// Creates settings in code, without trusted certificates, which can be set afterwards.
    public init(
        baseURL: ServerURL, anonKey: String? = nil, method: SignInMethod = .password, redirectURI: URL? = nil
    ) {
        self.baseURL = baseURL
        self.anonKey = anonKey
        self.method = method
        self.redirectURI = redirectURI
    }
}

extension InsForgeSettings: Decodable {
    private enum Method: String, Decodable, CaseIterable {
        case password, mailedCode, oauth
    }

    /// Reads `baseURL`, and optionally `anonKey`, `signIn` (`password`, `mailedCode` or `oauth`), `oauthProvider` or
    /// `oauthProviderKey`, `redirectURI`, `allowsLoopbackHTTP` and `trustedCertificates`. With `signIn` `oauth`, a
    /// `redirectURI` and exactly one of the two provider settings are required.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        let allowsLoopbackHTTP = try settings.allowsLoopbackHTTP(with: ["baseURL": "http://127.0.0.1:7130"])
        baseURL = try ServerURL(
            settings.read(
                "baseURL", .serverURL(allowsLoopbackHTTP: allowsLoopbackHTTP), means: "The project's base address.",
                example: "https://example.insforge.app"),
            allowsLoopbackHTTP: allowsLoopbackHTTP)
        anonKey = try settings.readIfPresent(
            "anonKey", .text, means: "The project's public anonymous key, which sign-up needs.", example: "anon_0123",
            isUsual: true)
        let oauth: JSONValue = ["signIn": "oauth", "redirectURI": "http://127.0.0.1/callback"]
        let provider: OAuthProvider? = try settings.readIfPresent(
            "oauthProvider", means: "The OAuth provider, where signIn is oauth.", example: "google", with: oauth)
        let key: String? = try settings.readIfPresent(
            "oauthProviderKey", SettingRule { _ = try OAuthProviderKey(custom: $0) },
            means: "The key of an OAuth provider of the project's own, in the place of oauthProvider.",
            example: "example-login", with: oauth)
        let signIn: Method = try settings.read(
            "signIn",
            means:
                "How a person signs in: with e-mail address and password, with a mailed code, or at an OAuth provider.",
            example: "mailedCode", default: "password")
        redirectURI = try settings.readIfPresent(
            "redirectURI", SettingRule { _ = try RedirectAddress($0) },
            means: "Where the browser returns from an OAuth provider and from mailed links.",
            example: "http://127.0.0.1/callback")
        trustedCertificates = try settings.trustedCertificates()
        if signIn == .oauth, redirectURI == nil { throw settings.missing("redirectURI") }
        switch (signIn, provider, key) {
        case (.password, _, _): method = .password
        case (.mailedCode, _, _): method = .mailedCode
        case (.oauth, let provider?, nil): method = .oauth(provider)
        case (.oauth, nil, let key?): method = .customOAuth(key)
        case (.oauth, nil, nil): throw settings.missing("oauthProvider")
        case (.oauth, _?, _?):
            throw settings.mistake(
                "oauthProviderKey", "There is an oauthProvider already. Name one of the two.")
        }
    }
}
