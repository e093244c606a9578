import IdentityKit
import IdentityOAuth

/// Makes sign-ins of programs, without a person, available to configurations as the provider type `workload`. Its
/// providers are ``/IdentityOAuth/WorkloadProvider``s.
public enum WorkloadPlugin: ProviderPlugin {
    public static let type = "workload"

    /// Creates a provider that also trusts the configured certificates, unless the app has a transport of its own.
    /// - Throws: ``/IdentityKit/TrustedCertificatesError`` if the transport cannot trust them.
    public static func makeProvider(
        settings: WorkloadSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        WorkloadProvider(
            settings.source, account: settings.account, context: try context.trusting(settings.trustedCertificates))
    }
}
