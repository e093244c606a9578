import IdentityKit
import InsForge
import ThunderID

private enum AcmePlugin: ProviderPlugin {
    static let type = "acme"

    struct Settings: Decodable, Sendable {}

    static func makeProvider(settings: Settings, context: ProviderContext) -> any IdentityProvider {
        IdentityProviders.staticToken("token", for: AccountID(account: "ada", realm: context.name))
    }
}

func makeRegistry() -> ProviderRegistry {
    // snippet: registering
    var registry = ProviderRegistry(ProviderRegistry.corePlugins)
    registry.register(AcmePlugin.self)
    // end snippet
    return registry
}

func makeRegistryOfBackends() -> ProviderRegistry {
    // snippet: registering-backends
    let registry = ProviderRegistry([ThunderIDPlugin.self, InsForgePlugin.self])
    // end snippet
    return registry
}
