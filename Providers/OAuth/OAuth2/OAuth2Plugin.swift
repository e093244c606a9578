import IdentityKit
import IdentityOAuth

/// Makes any OAuth 2.0 server available to configurations as the provider type `oauth2`. Its providers are
/// ``/IdentityOAuth/OAuthSessionProvider``s.
public enum OAuth2Plugin: ProviderPlugin {
    public static let type = "oauth2"

    /// Other names that people give it.
    public static let otherNames: Set = ["oauth"]

    /// Builds a provider.
    /// - Throws: ``/IdentityKit/TrustedCertificatesError``.
    public static func makeProvider(
        settings: OAuth2Settings, context: ProviderContext
    ) throws -> any IdentityProvider {
        OAuthSessionProvider(settings.server, context: try context.trusting(settings.trustedCertificates))
    }

    public static let addressSetting: String? = "issuer"

    /// The metadata of an authorization server, before the path of its address (RFC 8414 section 3.1) or below it.
    public static let published: [PublishedDocument] = [
        .wellKnown("oauth-authorization-server"), .below("/.well-known/oauth-authorization-server"),
    ]

    /// A server that names its issuer.
    public static func recognize(_ documents: PublishedDocuments) -> Recognition? {
        .issuer(in: published.lazy.compactMap { documents[$0] }.first) { [$0] + account }
    }

    /// The client, and where the server says who signed in.
    public static let questions = [SettingQuestion.client] + account

    private static let account = [
        SettingQuestion(
            "account.url", "The server's resource that says who signed in, such as https://api.example.com/user."),
        SettingQuestion(
            "account.identifier", "The member there that identifies a person for ever.", standard: .answer("id")),
    ]

    /// The vendor's words for the client.
    public static func questions(
        for preset: ProviderPreset, beside settings: [String: JSONValue]
    ) -> [SettingQuestion] {
        preset.questions(beside: settings, describedBy: OAuth2Settings.self)
    }

    /// `settings` with a redirect URI on this machine.
    public static func completedForTerminal(_ settings: [String: JSONValue]) -> [String: JSONValue] {
        settings.returningToThisMachine
    }

    /// The device flow (RFC 8628).
    public static func settings(for signIn: RequestedSignIn) -> [String: JSONValue]? {
        signIn == .onAnotherDevice ? .deviceFlow : nil
    }
}
