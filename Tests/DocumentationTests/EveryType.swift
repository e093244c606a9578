import IdentityKit
import IdentityPostgres
import InsForge
import IdentityPresets
import IdentityOAuthProviders
import ThunderID

extension ProviderRegistry {
    /// Every type of this package.
    static let everyType: ProviderRegistry = {
        var registry = ProviderRegistry(
            [
                ThunderIDPlugin.self, InsForgePlugin.self, OpenIDConnectPlugin.self, OAuth2Plugin.self,
                ProtectedResourcePlugin.self, WorkloadPlugin.self,
            ]
                + ProviderRegistry.corePlugins)
        registry.register(KnownProviders.presets)
        registry.register(PostgresStorePlugin.self)
        return registry
    }()
}
