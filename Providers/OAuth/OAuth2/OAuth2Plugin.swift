import IdentityKit
import IdentityOAuth

/// Makes any OAuth 2.0 server available to configurations as the provider type `oauth2`. Its providers are
/// ``/IdentityOAuth/OAuthSessionProvider``s.
public enum OAuth2Plugin: ProviderPlugin {
    /// `oauth2`
    public static let type = "oauth2"

    /// Builds a provider.
    /// - Throws: ``/IdentityKit/TrustedCertificatesError``.
    public static func makeProvider(
        settings: OAuth2Settings, context: ProviderContext
    ) throws -> any IdentityProvider {
        OAuthSessionProvider(settings.server, context: try context.trusting(settings.trustedCertificates))
    }
}
