import IdentityKit
import IdentityPresets

func makeRegistryOfVendors() -> ProviderRegistry {
    // snippet: naming-a-vendor
    var registry = ProviderRegistry(KnownProviders.plugins)
    registry.register(KnownProviders.presets)
    // end snippet
    return registry
}
