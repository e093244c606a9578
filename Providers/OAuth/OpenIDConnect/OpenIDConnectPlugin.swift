import IdentityKit
import IdentityOAuth

/// Makes any OpenID Connect server available to configurations as the provider type `openid-connect`. Its providers are
/// ``/IdentityOAuth/OAuthSessionProvider``s.
public enum OpenIDConnectPlugin: ProviderPlugin {
    public static let type = "openid-connect"

    /// Creates a provider. Its transport also trusts a server whose certificate is one of the configured certificates or was
    /// issued by one of them. An app's own `HTTPTransport` is used as it is, without the configured certificates.
    /// - Throws: an error with the code `trusted_certificates_unsupported` if a transport of this package cannot use added
    ///   certificates, such as `URLSessionTransport` on Linux; or with the code `certificate_invalid` if the transport cannot
    ///   read a certificate.
    public static func makeProvider(
        settings: OpenIDConnectSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        OAuthSessionProvider(settings.server, context: try context.trusting(settings.trustedCertificates))
    }

    /// The setup for the tool `identity`. A server is recognized by its metadata (OpenID Connect Discovery), which supplies
    /// everything but the client.
    public static var setup: PluginSetup {
        .ofAuthorizationServer(
            otherNames: ["oidc", "openid", "openidconnect"], metadata: [.below("/.well-known/openid-configuration")]
        ) { $0.questions(beside: $1, describedBy: OpenIDConnectSettings.self) }
    }
}
