import IdentityKit
import IdentityOAuthProviders
import IdentityPostgres
import IdentityPresets
import InsForge
import ThunderID

/// Types of the tool that its texts have as examples.
enum ExampleType {
    static let standard = OpenIDConnectPlugin.type
    static let product = InsForgePlugin.type
    static let otherProduct = ThunderIDPlugin.type
}

extension ProviderRegistry {
    /// The types that the tool brings, without presets. A server that several recognize is one of the last of them.
    static let ofTool: ProviderRegistry = {
        var registry = ProviderRegistry(
            ProviderRegistry.corePlugins + [
                WorkloadPlugin.self, OAuth2Plugin.self, ProtectedResourcePlugin.self, OpenIDConnectPlugin.self,
                ThunderIDPlugin.self, InsForgePlugin.self,
            ])
        registry.stores.register(PostgresStorePlugin.self)
        return registry
    }()

    /// The presets that the tool brings.
    mutating func registerVendors() { register(KnownProviders.presets) }

    /// The codes of errors with which one of the backends refuses a sign-in.
    var refusals: Set<String> { plugins.reduce(into: []) { $0.formUnion($1.refusals) } }
}
