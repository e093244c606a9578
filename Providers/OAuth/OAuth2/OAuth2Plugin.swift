import IdentityKit
import IdentityOAuth

/// Makes any OAuth 2.0 server available to configurations as the provider type `oauth2`. Its providers are
/// ``/IdentityOAuth/OAuthSessionProvider``s.
public enum OAuth2Plugin: ProviderPlugin {
    public static let type = "oauth2"

    /// Other names under which people may look for the type.
    public static let otherNames: Set = ["oauth"]

    /// Creates a provider. Its transport also trusts a server whose certificate is one of the configured certificates
    /// or was issued by one of them. A transport of the app's own type stays unchanged.
    /// - Throws: an error with the code `trusted_certificates_unsupported` if the transport cannot use added
    ///   certificates, or `certificate_invalid` if it cannot read one.
    public static func makeProvider(
        settings: OAuth2Settings, context: ProviderContext
    ) throws -> any IdentityProvider {
        OAuthSessionProvider(settings.server, context: try context.trusting(settings.trustedCertificates))
    }

    public static let addressSetting: String? = "issuer"

    /// The documents by which a server is recognized: its metadata at either of two addresses. The well-known path
    /// comes before the path of the server's address (RFC 8414 section 3.1), or after it.
    public static let published: [PublishedDocument] = [
        .wellKnown("oauth-authorization-server"), .below("/.well-known/oauth-authorization-server"),
    ]

    /// Recognizes a server whose metadata has an `issuer`.
    public static func recognize(_ documents: PublishedDocuments) -> Recognition? {
        .issuer(in: published.lazy.compactMap { documents[$0] }.first) { [$0] + account }
    }

    /// The questions about the client, and about the source of the account's identity.
    public static let questions = [SettingQuestion.client] + account

    private static let account = [
        SettingQuestion(
            "account.url", "The server's resource that says who signed in, such as https://api.example.com/user."),
        SettingQuestion(
            "account.identifier", "The member there that identifies a person for ever.", standard: .answer("id")),
    ]

    /// Returns the questions for the settings that a preset lacks. Questions about the client mention the vendor.
    /// Questions that `settings` makes unnecessary are left out.
    public static func questions(
        for preset: ProviderPreset, beside settings: [String: JSONValue]
    ) -> [SettingQuestion] {
        preset.questions(beside: settings, describedBy: OAuth2Settings.self)
    }

    /// Returns `settings` with a redirect URI on this machine. Settings that have a redirect URI or select the device flow
    /// stay unchanged.
    public static func completedForTerminal(_ settings: [String: JSONValue]) -> [String: JSONValue] {
        settings.returningToThisMachine
    }

    /// Returns the settings that select the device flow (RFC 8628) for a sign-in on another device; `nil` for any other
    /// sign-in.
    public static func settings(for signIn: RequestedSignIn) -> [String: JSONValue]? {
        signIn == .onAnotherDevice ? .deviceFlow : nil
    }
}
