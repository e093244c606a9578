import Foundation
import IdentityKit

/// Makes InsForge available to configurations as the provider type `insforge`.
public enum InsForgePlugin: ProviderPlugin {
    /// `insforge`
    public static let type = "insforge"

    /// Builds a provider.
    /// - Throws: ``/IdentityKit/TrustedCertificatesError``.
    public static func makeProvider(
        settings: InsForgeSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        InsForgeProvider(settings: settings, context: try context.trusting(settings.trustedCertificates))
    }

    /// `baseURL`
    public static let addressSetting: String? = "baseURL"

    private static let publicConfiguration = PublishedDocument.below("/api/auth/public-config")

    /// The public configuration of a project's sign-in.
    public static let published = [publicConfiguration]

    /// Every server with such a configuration.
    public static func recognize(_ documents: PublishedDocuments) -> Recognition? {
        documents[publicConfiguration].map { _ in Recognition(["baseURL": .string(documents.base)]) }
    }

    /// Refusals that a person can hear from a project, and a sign-in that was cancelled.
    public static let refusals: Set = [
        "invalid_credentials", "user_not_found", "email_not_verified", "user_already_exists", "signup_disabled",
        "weak_password", "invalid_code", "id_token_refused", "oauth_failed", "forbidden", "cancelled", "mailed_link",
    ]
}

/// The settings of an InsForge provider.
public struct InsForgeSettings: Sendable, Equatable {
    /// The project's base URL, such as `https://example.insforge.app`.
    public var baseURL: ServerURL
    /// The project's public anonymous key. Sign-up needs it.
    public var anonKey: String?
    /// How a user signs in.
    public var method: SignInMethod
    /// The redirect URI of the OAuth view and of mailed links. An OAuth sign-in needs it, and so does a project that verifies
    /// addresses by link.
    public var redirectURI: URL?
    /// Certificate authorities to trust besides the system's. The plug-in gives them to the transport; for a provider made in
    /// code, use `ProviderContext.trusting(_:)`.
    public var trustedCertificates: TrustedCertificates?

    /// How a user signs in.
    public enum SignInMethod: Sendable, Equatable {
        /// E-mail address and password, from the prompter.
        case password
        /// E-mail address, and the code that is mailed to it, from the prompter. An unknown address gets an account.
        /// Servers before July 2026 have no such sign-in.
        case mailedCode
        /// The page of an OAuth provider, in the browser.
        case oauth(OAuthProvider)
        /// The page of a custom OAuth provider of the project, by its key.
        case customOAuth(String)
    }

    /// Settings made in code.
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
    private enum CodingKeys: CodingKey {
        case baseURL, anonKey, signIn, oauthProvider, oauthProviderKey, redirectURI, allowsLoopbackHTTP
        case trustedCertificates
    }

    private enum Method: String, Decodable, CaseIterable {
        case password, mailedCode, oauth
    }

    /// Reads `baseURL`, and optionally `anonKey`, `signIn` (`password`, `mailedCode` or `oauth`), `oauthProvider` or
    /// `oauthProviderKey`, `redirectURI`, `allowsLoopbackHTTP` and `trustedCertificates`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let allowsLoopbackHTTP = try container.decodeIfPresent(Bool.self, forKey: .allowsLoopbackHTTP) ?? false
        baseURL = try container.decodeServerURL(forKey: .baseURL, allowsLoopbackHTTP: allowsLoopbackHTTP)
        anonKey = try container.decodeTextIfPresent(forKey: .anonKey)
        let provider = try container.decodeIfPresent(OAuthProvider.self, forKey: .oauthProvider)
        let key = try container.decodeIfPresent(String.self, forKey: .oauthProviderKey)
        let signIn = try container.decodeIfPresent(Method.self, forKey: .signIn) ?? .password
        redirectURI =
            signIn == .oauth
            ? try container.decode(URL.self, forKey: .redirectURI)
            : try container.decodeIfPresent(URL.self, forKey: .redirectURI)
        if let redirectURI { try Self.accept(.redirectURI, in: container) { _ = try RedirectAddress(redirectURI) } }
        switch (signIn, provider, key) {
        case (.password, _, _):
            method = .password
        case (.mailedCode, _, _):
            method = .mailedCode
        case (.oauth, let provider?, nil):
            method = .oauth(provider)
        case (.oauth, nil, let key?):
            try Self.accept(.oauthProviderKey, in: container) { _ = try OAuthProviderKey(custom: key) }
            method = .customOAuth(key)
        case (.oauth, nil, nil):
            throw DecodingError.keyNotFound(
                CodingKeys.oauthProvider,
                DecodingError.Context(codingPath: container.codingPath, debugDescription: "oauth needs a provider"))
        case (.oauth, _?, _?):
            throw Self.mistake(
                .oauthProviderKey, in: container,
                InsForgeAuthError.invalidInput("There is an oauthProvider already. Name one of the two."))
        }
        // Last, because it throws on Linux, and the schema is made by decoding.
        trustedCertificates = try container.decodeIfPresent(TrustedCertificates.self, forKey: .trustedCertificates)
    }

    /// Reports what `check` throws together with its key.
    private static func accept(
        _ key: CodingKeys, in container: KeyedDecodingContainer<CodingKeys>, _ check: () throws -> Void
    ) throws {
        do { try check() } catch { throw mistake(key, in: container, error) }
    }

    private static func mistake(
        _ key: CodingKeys, in container: KeyedDecodingContainer<CodingKeys>, _ error: any Error
    ) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: container.codingPath + [key], debugDescription: error.identityMessage,
                underlyingError: error))
    }
}
