import Foundation
import IdentityKit
import OAuthKit

/// Makes any OpenID Connect server available to configurations as the provider type `openid-connect`.
public enum OpenIDConnectPlugin: ProviderPlugin {
    /// `openid-connect`
    public static let type = "openid-connect"

    /// Builds a provider.
    /// - Throws: ``/IdentityKit/TrustedCertificatesError``.
    public static func makeProvider(
        settings: OpenIDConnectSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        OpenIDConnectProvider(settings: settings, context: try context.trusting(settings.trustedCertificates))
    }
}
