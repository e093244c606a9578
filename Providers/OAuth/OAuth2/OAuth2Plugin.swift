import IdentityKit
import IdentityOAuth

/// Makes any OAuth 2.0 server available to configurations as the provider type `oauth2`. Its providers are
/// ``/IdentityOAuth/OAuthSessionProvider``s.
public enum OAuth2Plugin: ProviderPlugin {
    public static let type = "oauth2"

    /// Creates a provider. Its transport also trusts a server whose certificate is one of the configured certificates or was
    /// issued by one of them. An app's own `HTTPTransport` is used as it is, without the configured certificates.
    /// - Throws: an error with the code `trusted_certificates_unsupported` if a transport of this package cannot use added
    ///   certificates, such as `URLSessionTransport` on Linux; or with the code `certificate_invalid` if the transport cannot
    ///   read a certificate.
    public static func makeProvider(
        settings: OAuth2Settings, context: ProviderContext
    ) throws -> any IdentityProvider {
        OAuthSessionProvider(settings.server, context: try context.trusting(settings.trustedCertificates))
    }

    /// The setup for the tool `identity`. A server is recognized by its metadata at either of two addresses. In the first, the
    /// well-known path precedes the path of the server's address (RFC 8414 section 3.1). In the second, it follows that path.
    /// The questions are about the client, and about the source of the account's identity.
    public static var setup: PluginSetup {
        .ofAuthorizationServer(
            otherNames: ["oauth"],
            metadata: [
                .wellKnown("oauth-authorization-server"), .below("/.well-known/oauth-authorization-server"),
            ],
            account: [
                SettingQuestion(
                    "account.url",
                    "The server's resource that says who signed in, such as https://api.example.com/user."),
                SettingQuestion(
                    "account.identifier", "The member there that identifies a person for ever.",
                    standard: .answer("id")),
            ]
        ) { $0.questions(beside: $1, describedBy: OAuth2Settings.self) }
    }
}
