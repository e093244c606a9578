import IdentityKit
import IdentityOAuth

/// Makes sign-ins of programs, without a person, available to configurations as the provider type `workload`. The account
/// of such a provider is the program itself, such as a service or a build job.
///
/// The tokens stay in memory. A provider requests a token when it is needed, once for all callers with the same scopes, and
/// renews it before it expires. In a chain of providers, a provider of this type supplies its account without asking a person.
public enum WorkloadPlugin: ProviderPlugin {
    public static let type = "workload"

    /// Creates a provider. Its transport also trusts a server whose certificate is one of the configured certificates or was
    /// issued by one of them. An app's own `HTTPTransport` is used as it is, without the configured certificates.
    /// - Throws: an error with the code `trusted_certificates_unsupported` if a transport of this package cannot use added
    ///   certificates, such as `URLSessionTransport` on Linux; or with the code `certificate_invalid` if the transport cannot
    ///   read a certificate.
    public static func makeProvider(
        settings: WorkloadSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        WorkloadProvider(
            settings.source, account: settings.account, context: try context.trusting(settings.trustedCertificates))
    }
}
