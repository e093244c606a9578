import IdentityKit
import IdentityOAuth

/// Makes any OpenID Connect server available to configurations as the provider type `openid-connect`. Its providers are
/// ``/IdentityOAuth/OAuthSessionProvider``s.
public enum OpenIDConnectPlugin: ProviderPlugin {
    public static let type = "openid-connect"

    /// Other names under which people may look for the type.
    public static let otherNames: Set = ["oidc", "openid", "openidconnect"]

    /// Creates a provider. Its transport also trusts a server whose certificate is one of the configured certificates
    /// or was issued by one of them. A transport of the app's own type stays unchanged.
    /// - Throws: an error with the code `trusted_certificates_unsupported` if the transport cannot use added
    ///   certificates, or `certificate_invalid` if it cannot read one.
    public static func makeProvider(
        settings: OpenIDConnectSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        OAuthSessionProvider(settings.server, context: try context.trusting(settings.trustedCertificates))
    }

    public static let addressSetting: String? = "issuer"

    private static let metadata = PublishedDocument.below("/.well-known/openid-configuration")

    /// The document by which a server is recognized: its metadata (OpenID Connect Discovery).
    public static let published = [metadata]

    /// Recognizes a server whose metadata has an `issuer`.
    public static func recognize(_ documents: PublishedDocuments) -> Recognition? {
        .issuer(in: documents[metadata]) { [$0] }
    }

    /// The question for the client identifier. The metadata supplies the rest.
    public static let questions = [SettingQuestion.client]

    /// Returns the questions for the settings that a preset lacks. Questions about the client mention the vendor.
    /// Questions that `settings` makes unnecessary are left out.
    public static func questions(
        for preset: ProviderPreset, beside settings: [String: JSONValue]
    ) -> [SettingQuestion] {
        preset.questions(beside: settings, describedBy: OpenIDConnectSettings.self)
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
