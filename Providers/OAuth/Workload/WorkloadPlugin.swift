import IdentityKit
import IdentityOAuth

/// Makes programs that sign in without a person available to configurations as the provider type `workload`. Its providers
/// are ``/IdentityOAuth/WorkloadProvider``s.
public enum WorkloadPlugin: ProviderPlugin {
    public static let type = "workload"

    /// Builds a provider.
    /// - Throws: ``/IdentityKit/TrustedCertificatesError``.
    public static func makeProvider(
        settings: WorkloadSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        WorkloadProvider(
            settings.source, account: settings.account, context: try context.trusting(settings.trustedCertificates))
    }
}
