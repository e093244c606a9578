import IdentityKit
import IdentityOAuthProviders
import IdentityPostgres
import IdentityPresets
import InsForge
import ThunderID

/// Provider types that the tool's texts use as examples.
enum ExampleType {
    static let standard = OpenIDConnectPlugin.type
    static let product = InsForgePlugin.type
    static let otherProduct = ThunderIDPlugin.type
}

extension ProviderRegistry {
    /// The tool's built-in provider types, without presets. If several types recognize a server, `identity init` uses the last
    /// one in this order.
    static let ofTool: ProviderRegistry = {
        var registry = ProviderRegistry(
            ProviderRegistry.corePlugins + [
                WorkloadPlugin.self, OAuth2Plugin.self, ProtectedResourcePlugin.self, OpenIDConnectPlugin.self,
                ThunderIDPlugin.self, InsForgePlugin.self,
            ])
        registry.register(PostgresStorePlugin.self)
        return registry
    }()

    /// Adds the tool's built-in presets.
    mutating func registerVendors() { register(KnownProviders.presets) }

    /// The failure codes by which the registered provider types report that a backend refused a sign-in.
    var refusals: Set<String> { plugins.reduce(into: []) { $0.formUnion($1.setup.refusals) } }
}
