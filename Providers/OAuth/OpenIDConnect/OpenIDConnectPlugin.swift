import IdentityKit
import IdentityOAuth

/// Makes any OpenID Connect server available to configurations as the provider type `openid-connect`. Its providers are
/// ``/IdentityOAuth/OAuthSessionProvider``s.
public enum OpenIDConnectPlugin: ProviderPlugin {
    /// `openid-connect`
    public static let type = "openid-connect"

    /// Builds a provider.
    /// - Throws: ``/IdentityKit/TrustedCertificatesError``.
    public static func makeProvider(
        settings: OpenIDConnectSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        OAuthSessionProvider(settings.server, context: try context.trusting(settings.trustedCertificates))
    }
}
