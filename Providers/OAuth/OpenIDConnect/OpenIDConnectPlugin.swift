import IdentityKit
import IdentityOAuth

/// Makes any OpenID Connect server available to configurations as the provider type `openid-connect`. Its providers are
/// ``/IdentityOAuth/OAuthSessionProvider``s.
public enum OpenIDConnectPlugin: ProviderPlugin {
    public static let type = "openid-connect"

    /// Other names under which people may look for the type.
    public static let otherNames: Set = ["oidc", "openid", "openidconnect"]

    /// Builds a provider.
    /// - Throws: ``/IdentityKit/TrustedCertificatesError``.
    public static func makeProvider(
        settings: OpenIDConnectSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        OAuthSessionProvider(settings.server, context: try context.trusting(settings.trustedCertificates))
    }

    public static let addressSetting: String? = "issuer"

    private static let metadata = PublishedDocument.below("/.well-known/openid-configuration")

    /// The document by which a server is recognized: its metadata (OpenID Connect Discovery).
    public static let published = [metadata]

    /// Recognizes a server whose metadata names its issuer.
    public static func recognize(_ documents: PublishedDocuments) -> Recognition? {
        .issuer(in: documents[metadata]) { [$0] }
    }

    /// Question for the client identifier.
    public static let questions = [SettingQuestion.client]

    /// The questions with the vendor's own terms for the client.
    public static func questions(
        for preset: ProviderPreset, beside settings: [String: JSONValue]
    ) -> [SettingQuestion] {
        preset.questions(beside: settings, describedBy: OpenIDConnectSettings.self)
    }

    /// `settings` with a redirect URI on this machine, if there is none.
    public static func completedForTerminal(_ settings: [String: JSONValue]) -> [String: JSONValue] {
        settings.returningToThisMachine
    }

    /// The settings that select the device flow (RFC 8628).
    public static func settings(for signIn: RequestedSignIn) -> [String: JSONValue]? {
        signIn == .onAnotherDevice ? .deviceFlow : nil
    }
}
